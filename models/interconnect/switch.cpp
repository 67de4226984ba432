// SPDX-License-Identifier: Apache-2.0
#include "models/interconnect/switch.h"

#include <algorithm>

namespace spica::interconnect {

using base::Cycle;

Switch::Switch(std::uint64_t inputs, std::uint64_t outputs, std::uint64_t depth, Arbitration arbitration)
    : arbitration_(arbitration),
      asking_(outputs, base::PortSet(static_cast<unsigned>(inputs))),
      arbiters_(outputs, base::RoundRobin(static_cast<unsigned>(inputs))),
      asked_(static_cast<unsigned>(outputs)),
      input_free_(inputs, 0),
      output_free_(outputs, 0) {
  queues_.reserve(inputs);
  for (std::uint64_t i = 0; i < inputs; ++i) queues_.emplace_back(depth);
}

void Switch::push(unsigned input, const Transfer& transfer, Cycle now) {
  queues_[input].push(transfer);
  ++queued_;
  if (queues_[input].size() != 1) return;
  if (input_free_[input] <= now) compete(input);
  else returns_.schedule(now, input_free_[input], static_cast<std::uint16_t>(input));
}

void Switch::compete(unsigned input) {
  const unsigned output = queues_[input].front().output;
  asking_[output].insert(input);
  asked_.insert(output);
}

unsigned Switch::choose(unsigned output, Cycle now) {
  if (arbitration_ == Arbitration::kRoundRobin)
    arbiters_[output].pass(static_cast<unsigned>(now % queues_.size()));
  return arbiters_[output].pick(asking_[output]);
}

Transfer Switch::take(unsigned input, unsigned output, Cycle now) {
  const Transfer transfer = queues_[input].pop();
  --queued_;
  asking_[output].erase(input);
  if (asking_[output].empty()) asked_.erase(output);
  output_free_[output] = input_free_[input] = now + transfer.packets;
  if (!queues_[input].empty())
    returns_.schedule(now, now + transfer.packets, static_cast<std::uint16_t>(input));
  return transfer;
}

void Switch::clear() {
  for (auto& queue : queues_) queue.clear();
  for (auto& asking : asking_) asking.clear();
  for (auto& arbiter : arbiters_) arbiter.reset();
  asked_.clear();
  returns_.clear();
  std::fill(input_free_.begin(), input_free_.end(), 0);
  std::fill(output_free_.begin(), output_free_.end(), 0);
  queued_ = 0;
}

}  // namespace spica::interconnect
