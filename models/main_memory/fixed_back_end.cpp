// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/fixed_back_end.h"

#include <algorithm>
#include <cmath>

#include "models/base/checkpoint.h"
namespace spica::main_memory {

using base::Cycle;

FixedBackEnd::FixedBackEnd(const BackEndContext& context)
    : map_(context.params),
      fs_per_byte_(1e6 / context.params.fixed.gb_per_s *
                   (context.params.fixed.per_channel ? static_cast<double>(context.params.channels) : 1)),
      latency_(static_cast<Femtoseconds>(std::llround(context.params.fixed.latency_ns * 1e6))),
      cycle_(context.cycle_ps * 1000),
      user_(context.user) {
  const std::uint64_t channels = context.params.fixed.per_channel ? context.params.channels : 1;
  channels_.reserve(channels);
  for (std::uint64_t i = 0; i < channels; ++i) channels_.emplace_back(context.params.fixed.requests);
}

FixedBackEnd::Femtoseconds FixedBackEnd::time_of(std::uint64_t bytes) const {
  return static_cast<Femtoseconds>(std::llround(static_cast<double>(bytes) * fs_per_byte_));
}

bool FixedBackEnd::offer(const Access& access, Cycle now) {
  Channel& channel = channel_of(access);
  while (!channel.under_way.empty() && channel.under_way.front() <= now) channel.under_way.drop();
  if (channel.under_way.full()) return false;
  if (const Femtoseconds begins = now * cycle_; begins >= channel.free) {
    channel.since = begins;
    channel.passed = 0;
  }
  // Rounded once, however much has passed: the errors of many requests would add up.
  const Femtoseconds start = channel.since + time_of(channel.passed);
  channel.passed += access.bytes;
  channel.free = channel.since + time_of(channel.passed);
  const Femtoseconds end = std::max(start + latency_, channel.free);
  const Cycle due = std::max((end + cycle_ - 1) / cycle_, now + 1);
  channel.under_way.push(due);
  user_.done(*access.payload, due);
  return true;
}

Cycle FixedBackEnd::next(Cycle) const {
  // Its room matters to who is waiting for it; each response wakes the memory anyway.
  return base::kNever;
}

void FixedBackEnd::reset(Cycle) {
  for (Channel& channel : channels_) {
    channel.under_way.clear();
    channel.free = 0;
  }
}

bool FixedBackEnd::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(channels_);
  return true;
}

}  // namespace spica::main_memory
