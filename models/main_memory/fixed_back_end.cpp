// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/fixed_back_end.h"

#include <algorithm>
#include <cmath>

#include "models/base/checkpoint.h"
namespace spica::main_memory {

using base::Cycle;

FixedBackEnd::FixedBackEnd(const BackEndContext& context)
    : fs_per_byte_(1e6 / context.params.fixed.gb_per_s),
      latency_(static_cast<Femtoseconds>(std::llround(context.params.fixed.latency_ns * 1e6))),
      cycle_(context.cycle_ps * 1000),
      user_(context.user),
      under_way_(context.params.fixed.requests) {}

FixedBackEnd::Femtoseconds FixedBackEnd::time_of(std::uint64_t bytes) const {
  return static_cast<Femtoseconds>(std::llround(static_cast<double>(bytes) * fs_per_byte_));
}

bool FixedBackEnd::offer(const Access& access, Cycle now) {
  if (under_way_.full()) return false;
  if (const Femtoseconds begins = now * cycle_; begins >= free_) {
    since_ = begins;
    passed_ = 0;
  }
  // Rounded once, however much has passed: the errors of many requests would add up.
  const Femtoseconds start = since_ + time_of(passed_);
  passed_ += access.bytes;
  free_ = since_ + time_of(passed_);
  const Femtoseconds end = std::max(start + latency_, free_);
  const Cycle due = std::max((end + cycle_ - 1) / cycle_, now + 1);
  under_way_.push(due);
  user_.done(*access.payload, due);
  return true;
}

void FixedBackEnd::tick(Cycle now) {
  while (!under_way_.empty() && under_way_.front() <= now) under_way_.drop();
}

Cycle FixedBackEnd::next(Cycle) const {
  // Its room matters to who is waiting for it; each response wakes the memory anyway.
  return base::kNever;
}

void FixedBackEnd::reset(Cycle) {
  under_way_.clear();
  free_ = 0;
}

bool FixedBackEnd::timing(base::Checkpoint& checkpoint) {
  checkpoint(under_way_, since_, passed_, free_);
  return true;
}

}  // namespace spica::main_memory
