// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/base/calendar.h"
#include "models/base/channel_account.h"
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
///
/// Accounts of inputs: ChannelAccount, and kNotTaken: the first transfer waits for an output. Of outputs: the same, and
///          kNoRoom: a transfer waits, and `has_room` is false
class Switch {
 public:
  enum Wait : unsigned {
    kNotTaken = base::ChannelAccount::kFirstWait,
    kNoRoom = base::ChannelAccount::kFirstWait
  };

  /// One account for each input and output.
  Switch(std::uint64_t depth, Queues queues, Arbitration arbitration, base::ChannelAccounts inputs,
         base::ChannelAccounts outputs);

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
        if ((output < first) != behind) return;
        if (!competed(output)) return output_use_[output].stop_waiting(now);
        contested_.push_back(static_cast<std::uint16_t>(output));
        if (output_free_[output] > now || !has_room(output)) return;
        const unsigned input = choose(output, candidates(output), now);
        const Transfer transfer = take(input, output, now);
        move(input, transfer);
      });
    charge(now);
  }
  /// The next cycle after `now` in which a transfer can move if each output has room; kNever: none waits.
  template <class HasRoom>
  base::Cycle next(base::Cycle now, HasRoom&& has_room) const {
    base::Cycle next = returns_.next(now);
    asked_.each([&](unsigned output) {
      if (competed(output) && has_room(output))
        next = std::min(next, std::max(output_free_[output], now + 1));
    });
    return next;
  }
  void clear(base::Cycle now);
  /// Brings the accounts up to date.
  void catch_up(base::Cycle now) {
    input_use_.advance(now);
    output_use_.advance(now);
  }

  /// Not saved: depth_, queues_, arbitration_, contested_, which is valid only within a tick.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(transfers_);
    for (auto& asking : asking_) archive(asking);
    for (auto& arbiter : arbiters_) archive(arbiter);
    archive(asked_, busy_, returns_, input_free_, output_free_, input_use_, output_use_, filled_);
  }

 private:
  unsigned list(unsigned output) const { return queues_ == Queues::kPerOutput ? output : 0; }
  /// Inputs that could send a transfer to `output` now.
  base::PortSet candidates(unsigned output) const { return base::PortSet(asking_[output]).remove(busy_); }
  bool competed(unsigned output) const { return asking_[output].any_without(busy_); }
  void ask(unsigned input, unsigned output);
  unsigned choose(unsigned output, const base::PortSet& inputs, base::Cycle now);
  Transfer take(unsigned input, unsigned output, base::Cycle now);
  void occupy(unsigned input, base::Cycle now);
  void charge(base::Cycle now);

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
  base::ChannelAccounts input_use_, output_use_;
  std::vector<std::uint16_t> filled_;  // since the last tick, inputs that were empty
  std::vector<std::uint16_t> contested_;  // outputs that could have taken a transfer in this tick
};

}  // namespace spica::interconnect
