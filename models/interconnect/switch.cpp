// SPDX-License-Identifier: Apache-2.0
#include "models/interconnect/switch.h"

#include <algorithm>

namespace spica::interconnect {

using base::Cycle;

Switch::Switch(std::uint64_t inputs, std::uint64_t outputs, std::uint64_t depth, Queues queues,
               Arbitration arbitration)
    : depth_(depth),
      queues_(queues),
      arbitration_(arbitration),
      transfers_(inputs, queues == Queues::kPerOutput ? outputs : 1),
      asking_(outputs, base::PortSet(static_cast<unsigned>(inputs))),
      arbiters_(outputs, base::RoundRobin(static_cast<unsigned>(inputs))),
      asked_(static_cast<unsigned>(outputs)),
      busy_(static_cast<unsigned>(inputs)),
      input_free_(inputs, 0),
      output_free_(outputs, 0) {}

void Switch::push(unsigned input, const Transfer& transfer, Cycle now) {
  if (transfers_.count(input) == 0) occupy(input, now);
  const bool first = transfers_.empty(input, list(transfer.output));
  transfers_.push(input, list(transfer.output), transfer);
  if (first) ask(input, transfer.output);
}

void Switch::ask(unsigned input, unsigned output) {
  asking_[output].insert(input);
  asked_.insert(output);
}

/// Keeps an input with further transfers out until it has sent its last one.
void Switch::occupy(unsigned input, Cycle now) {
  if (input_free_[input] <= now) return;
  busy_.insert(input);
  returns_.schedule(now, input_free_[input], static_cast<std::uint16_t>(input));
}

unsigned Switch::choose(unsigned output, const base::PortSet& inputs, Cycle now) {
  if (arbitration_ == Arbitration::kRoundRobin)
    arbiters_[output].pass(static_cast<unsigned>(now % input_free_.size()));
  return arbiters_[output].pick(inputs);
}

Transfer Switch::take(unsigned input, unsigned output, Cycle now) {
  const Transfer transfer = transfers_.pop(input, list(output));
  asking_[output].erase(input);
  if (!transfers_.empty(input, list(output))) ask(input, transfers_.front(input, list(output)).output);
  if (asking_[output].empty()) asked_.erase(output);
  output_free_[output] = input_free_[input] = now + transfer.packets;
  if (transfers_.count(input) != 0) occupy(input, now);
  return transfer;
}

void Switch::clear() {
  transfers_.clear();
  for (auto& asking : asking_) asking.clear();
  for (auto& arbiter : arbiters_) arbiter.reset();
  asked_.clear();
  busy_.clear();
  returns_.clear();
  std::fill(input_free_.begin(), input_free_.end(), 0);
  std::fill(output_free_.begin(), output_free_.end(), 0);
}

}  // namespace spica::interconnect
