// SPDX-License-Identifier: Apache-2.0
#include "models/base/checkpoint.h"
#include "models/base/clock_domain.h"
#include "models/base/invariant.h"

namespace spica::base {

// Between activations: limit_ is 0 and the calendar is made anew by the next one. Blocks that have asked for
// a delivery plan it again when they are loaded.

void ClockDomain::set_now(Cycle cycle) {
  SPICA_INVARIANT(leader_ == nullptr);
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  const auto first = now.value() - cycle * period_.value();
  for_all([&](ClockDomain& each) {
    SPICA_INVARIANT(!each.running_ && each.arrivals_.empty());
    each.event_.cancel();
    each.blocks_.forget();
    each.first_ = first;
    each.now_ = each.executed_ = each.cycle_at(now);
    each.others_have_gone_ = each.pause_requested_ = false;
  });
}

void ClockDomain::checkpoint_time(Checkpoint& checkpoint) {
  SPICA_INVARIANT(leader_ == nullptr);
  const std::uint64_t stamp = sc_core::sc_time_stamp().value();
  std::uint64_t passed = stamp - first_;
  checkpoint(passed);
  for_all([&](ClockDomain& each) {
    SPICA_INVARIANT(!each.running_ && !each.failure_);
    checkpoint(each.now_, each.executed_);
    if (!checkpoint.loads()) return;
    each.event_.cancel();
    each.arrivals_.clear();
    each.blocks_.forget();
    each.first_ = stamp - passed;
    each.others_have_gone_ = each.pause_requested_ = false;
  });
}

void ClockDomain::checkpoint_plans(Checkpoint& checkpoint) {
  for_all([&](ClockDomain& each) {
    Cycle now = each.now_;  // as it was: a delivery that is planned again may have set it back
    checkpoint(now);
    each.blocks_.for_each([&](Seat& seat) { checkpoint(seat.wake); });
    if (!checkpoint.loads()) return;
    each.blocks_.for_each(
        [&](const Seat& seat) { each.blocks_.rouse(*seat.group); });  // the next plan checks
    each.now_ = now;
    each.event_.cancel();
    if (const Cycle next = each.earliest(); next != kNever) each.rearm(next);
  });
}

}  // namespace spica::base
