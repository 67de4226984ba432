// SPDX-License-Identifier: Apache-2.0
#include "models/interconnect/switch.h"

#include <algorithm>
#include <utility>

namespace spica::interconnect {

using base::Cycle;

Switch::Switch(std::uint64_t depth, Queues queues, Arbitration arbitration, base::ChannelAccounts inputs,
               base::ChannelAccounts outputs)
    : depth_(depth),
      queues_(queues),
      arbitration_(arbitration),
      transfers_(inputs.size(), queues == Queues::kPerOutput ? outputs.size() : 1),
      asking_(outputs.size(), base::PortSet(static_cast<unsigned>(inputs.size()))),
      arbiters_(outputs.size(), base::RoundRobin(static_cast<unsigned>(inputs.size()))),
      asked_(static_cast<unsigned>(outputs.size())),
      busy_(static_cast<unsigned>(inputs.size())),
      input_free_(inputs.size(), 0),
      output_free_(outputs.size(), 0),
      input_use_(std::move(inputs)),
      output_use_(std::move(outputs)) {}

void Switch::push(unsigned input, const Transfer& transfer, Cycle now) {
  if (transfers_.count(input) == 0) {
    occupy(input, now);
    filled_.push_back(static_cast<std::uint16_t>(input));
  }
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
  const Cycle end = now + transfer.packets;
  output_free_[output] = input_free_[input] = end;
  input_use_[input].carry(now, end, now);
  output_use_[output].carry(now, end, now);
  if (transfers_.count(input) == 0) {
    input_use_[input].stop_waiting(now);
  } else {
    input_use_[input].wait(kNotTaken, now);
    occupy(input, now);
  }
  return transfer;
}

/// What still waits after the transfers of a cycle have been chosen.
void Switch::charge(Cycle now) {
  for (const std::uint16_t input : filled_)
    if (transfers_.count(input) != 0) input_use_[input].wait(kNotTaken, now);
  for (const std::uint16_t output : contested_)
    if (competed(output)) output_use_[output].wait(kNoRoom, now);
    else output_use_[output].stop_waiting(now);
  filled_.clear();
  contested_.clear();
}

void Switch::clear(Cycle now) {
  input_use_.clear(now);
  output_use_.clear(now);
  filled_.clear();
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
