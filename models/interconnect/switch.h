// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/base/calendar.h"
#include "models/base/port_set.h"
#include "models/base/round_robin.h"
#include "models/base/types.h"
#include "models/interconnect/network_params.h"
#include "models/interconnect/transfer_queues.h"

namespace spica::interconnect {

/// One direction of the network, without latency: inputs that hold up to `depth` transfers, and outputs. In a cycle each
/// input sends and each output takes at most one packet; a transfer of n packets occupies both for n cycles. Of the
/// transfers of an input, the first competes (Queues::kInOrder), or the first for each output (Queues::kPerOutput). The
/// cost of a cycle follows the outputs that are asked for, not inputs x outputs.
class Switch {
 public:
  Switch(std::uint64_t inputs, std::uint64_t outputs, std::uint64_t depth, Queues queues,
         Arbitration arbitration);

  bool full(unsigned input) const { return transfers_.count(input) == depth_; }
  bool empty() const { return transfers_.empty(); }
  std::size_t queued(unsigned input) const { return transfers_.count(input); }
  /// Adds a transfer, which can leave in cycle `now` at the earliest. Requires !full().
  void push(unsigned input, const Transfer& transfer, base::Cycle now);

  /// One cycle: each output with `has_room(output)` takes a transfer, and `move(input, transfer)` is called for it.
  template <class HasRoom, class Move>
  void tick(base::Cycle now, HasRoom&& has_room, Move&& move) {
    returns_.take_due(now, [this](std::uint16_t input) { busy_.erase(input); });
    // Where outputs compete for an input, another one is the first in each cycle.
    const unsigned first =
        queues_ == Queues::kPerOutput ? static_cast<unsigned>(now % output_free_.size()) : 0;
    for (const bool behind : {false, true})
      asked_.each([&](unsigned output) {
        if ((output < first) != behind || output_free_[output] > now) return;
        const base::PortSet free = candidates(output);
        if (free.empty() || !has_room(output)) return;
        const unsigned input = choose(output, free, now);
        const Transfer transfer = take(input, output, now);
        move(input, transfer);
      });
  }
  /// The next cycle after `now` in which a transfer can move if each output has room; kNever: none waits.
  template <class HasRoom>
  base::Cycle next(base::Cycle now, HasRoom&& has_room) const {
    base::Cycle next = returns_.next(now);
    asked_.each([&](unsigned output) {
      if (!candidates(output).empty() && has_room(output))
        next = std::min(next, std::max(output_free_[output], now + 1));
    });
    return next;
  }
  void clear();

  /// Not saved: depth_, queues_, arbitration_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(transfers_);
    for (auto& asking : asking_) archive(asking);
    for (auto& arbiter : arbiters_) archive(arbiter);
    archive(asked_, busy_, returns_, input_free_, output_free_);
  }

 private:
  unsigned list(unsigned output) const { return queues_ == Queues::kPerOutput ? output : 0; }
  /// Inputs that could send a transfer to `output` now.
  base::PortSet candidates(unsigned output) const { return base::PortSet(asking_[output]).remove(busy_); }
  void ask(unsigned input, unsigned output);
  unsigned choose(unsigned output, const base::PortSet& inputs, base::Cycle now);
  Transfer take(unsigned input, unsigned output, base::Cycle now);
  void occupy(unsigned input, base::Cycle now);

  const std::size_t depth_;
  const Queues queues_;
  const Arbitration arbitration_;
  TransferQueues transfers_;
  std::vector<base::PortSet> asking_;  // by output: inputs with a transfer that competes for it
  std::vector<base::RoundRobin> arbiters_;  // by output
  base::PortSet asked_;  // outputs with such an input
  base::PortSet busy_;  // inputs that send a transfer and have a further one
  base::Calendar<std::uint16_t> returns_;  // when they have sent it
  std::vector<base::Cycle> input_free_, output_free_;  // first cycle after the last transfer
};

}  // namespace spica::interconnect
