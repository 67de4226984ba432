// SPDX-License-Identifier: Apache-2.0
#include "models/base/stepped_clock.h"

#include <algorithm>

#include "models/base/clock_domain.h"
#include "models/base/invariant.h"

namespace spica::base {

SteppedClock::SteppedClock(ClockDomain& domain, const ClockDomain& pace) : domain_(domain), pace_(pace) {
  SPICA_INVARIANT(domain.alone() && domain.stepper_ == nullptr);
  domain.stepper_ = this;
}

bool SteppedClock::steps() const { return domain_.running_; }

Cycle SteppedClock::begin() {
  SPICA_INVARIANT(!domain_.running_);
  domain_.now_ = domain_.executed_ = std::max(domain_.now_, pace_.now());
  return domain_.now_;
}

bool SteppedClock::step() {
  const Cycle next = domain_.earliest();
  if (next == kNever) return false;
  domain_.now_ = std::max(domain_.now_, next);
  domain_.limit_ = domain_.now_ + 1;
  domain_.blocks_.plan(domain_.now_, domain_.limit_);
  domain_.running_ = true;
  const auto finish = [this] {
    domain_.running_ = false;
    domain_.limit_ = 0;
    domain_.executed_ = domain_.now_;
  };
  try {
    domain_.execute();
  } catch (...) {
    finish();
    throw;
  }
  finish();
  return true;
}

Cycle SteppedClock::passed_since(Cycle begin) const {
  return domain_.executed_ > begin ? domain_.executed_ - 1 - begin : 0;
}

}  // namespace spica::base
