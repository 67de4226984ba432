// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/calendar.h"
#include "models/base/port_set.h"
#include "models/base/round_robin.h"
#include "models/base/types.h"
#include "models/interconnect/network_params.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::interconnect {

/// A transfer through a switch.
struct Transfer {
  protocol::Payload* payload = nullptr;
  std::uint32_t requester = 0;
  std::uint16_t output = 0;
  std::uint16_t packets = 1;
};

/// One direction of the network, without latency: inputs with a queue each, and outputs. In a cycle each input sends
/// and each output takes at most one packet; a transfer of n packets occupies both for n cycles. Only the first
/// transfer of a queue competes. The cost of a cycle follows the outputs that are asked for, not inputs x outputs.
class Switch {
 public:
  Switch(std::uint64_t inputs, std::uint64_t outputs, std::uint64_t depth, Arbitration arbitration);

  bool full(unsigned input) const { return queues_[input].full(); }
  bool empty() const { return queued_ == 0; }
  std::size_t queued(unsigned input) const { return queues_[input].size(); }
  /// Adds a transfer, which can leave in cycle `now` at the earliest. Requires !full().
  void push(unsigned input, const Transfer& transfer, base::Cycle now);

  /// One cycle: each output with `has_room(output)` takes a transfer, and `move(input, transfer)` is called for it.
  template <class HasRoom, class Move>
  void tick(base::Cycle now, HasRoom&& has_room, Move&& move) {
    returns_.take_due(now, [this](std::uint16_t input) { compete(input); });
    asked_.each([&](unsigned output) {
      if (output_free_[output] > now || !has_room(output)) return;
      const unsigned input = choose(output, now);
      const Transfer transfer = take(input, output, now);
      move(input, transfer);
    });
  }
  /// The next cycle after `now` in which a transfer can move if each output has room; kNever: none waits.
  template <class HasRoom>
  base::Cycle next(base::Cycle now, HasRoom&& has_room) const {
    base::Cycle next = returns_.next(now);
    asked_.each([&](unsigned output) {
      if (has_room(output)) next = std::min(next, std::max(output_free_[output], now + 1));
    });
    return next;
  }
  void clear();

  /// Not saved: arbitration_.
  template <class Archive>
  void serialize(Archive& archive) {
    for (auto& queue : queues_) archive(queue);
    for (auto& asking : asking_) archive(asking);
    for (auto& arbiter : arbiters_) archive(arbiter);
    archive(asked_, returns_, input_free_, output_free_, queued_);
  }

 private:
  void compete(unsigned input);
  unsigned choose(unsigned output, base::Cycle now);
  Transfer take(unsigned input, unsigned output, base::Cycle now);

  const Arbitration arbitration_;
  std::vector<base::BoundedQueue<Transfer>> queues_;  // by input
  std::vector<base::PortSet> asking_;  // by output: inputs whose first transfer goes there
  std::vector<base::RoundRobin> arbiters_;  // by output
  base::PortSet asked_;  // outputs with such an input
  base::Calendar<std::uint16_t> returns_;  // inputs that are occupied and have a further transfer
  std::vector<base::Cycle> input_free_, output_free_;  // first cycle after the last transfer
  std::size_t queued_ = 0;
};

}  // namespace spica::interconnect
