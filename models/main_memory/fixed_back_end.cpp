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
      user_(context.user),
      use_(context.stats, context.params.fixed.per_channel ? context.params.channels : 1, "channels",
           "cycles of a channel by reason", {"idle", "moving", "channel_busy", "queue_full"}) {
  channels_.reserve(use_.size());
  for (std::size_t i = 0; i < use_.size(); ++i) channels_.emplace_back(context.params.fixed.requests);
}

FixedBackEnd::Femtoseconds FixedBackEnd::time_of(std::uint64_t bytes) const {
  return static_cast<Femtoseconds>(std::llround(static_cast<double>(bytes) * fs_per_byte_));
}

bool FixedBackEnd::offer(const Access& access, Cycle now) {
  const std::size_t number = channel_of(access);
  Channel& channel = channels_[number];
  while (!channel.under_way.empty() && channel.under_way.front() <= now) channel.under_way.drop();
  if (channel.under_way.full()) {
    use_[number].wait(kQueueFull, now);
    return false;
  }
  const Cycle from = std::max(now, first_cycle(channel.free));
  if (const Femtoseconds begins = now * cycle_; begins >= channel.free) {
    channel.since = begins;
    channel.passed = 0;
  }
  // Rounded once, however much has passed: the errors of many requests would add up.
  const Femtoseconds start = channel.since + time_of(channel.passed);
  channel.passed += access.bytes;
  channel.free = channel.since + time_of(channel.passed);
  const Femtoseconds end = std::max(start + latency_, channel.free);
  const Cycle due = std::max(first_cycle(end), now + 1);
  channel.under_way.push(due);
  if (from > now) use_[number].wait(now, from, kQueueFull, now);
  else use_[number].stop_waiting(now);
  if (const Cycle to = first_cycle(channel.free); to > from) use_[number].carry(from, to, now);
  user_.done(*access.payload, due);
  return true;
}

Cycle FixedBackEnd::next(Cycle) const {
  // Its room matters to who is waiting for it; each response wakes the memory anyway.
  return base::kNever;
}

void FixedBackEnd::reset(Cycle now) {
  use_.clear(now);
  for (Channel& channel : channels_) {
    channel.under_way.clear();
    channel.free = 0;
  }
}

bool FixedBackEnd::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(channels_);
  checkpoint(use_);
  return true;
}

}  // namespace spica::main_memory
