// SPDX-License-Identifier: Apache-2.0
#include "models/base/clock_domain.h"

#include <algorithm>

#include "models/base/component.h"

namespace spica::base {

ClockDomain::ClockDomain(const sc_core::sc_module_name& name, const sc_core::sc_time& period)
    : sc_module(name), period_(period) {
  SC_HAS_PROCESS(ClockDomain);
  SC_METHOD(run);
  sensitive << event_;
  dont_initialize();
}

void ClockDomain::add(Component& component) {
  component.attach(*this, order_.size());
  order_.push_back(&component);
  wake_.push_back(kNever);
}

Cycle ClockDomain::earliest() const {
  Cycle first = kNever;
  for (const Cycle cycle : wake_) first = std::min(first, cycle);
  return first;
}

void ClockDomain::rearm(Cycle cycle) {
  const sc_core::sc_time at = period_ * static_cast<double>(std::max(cycle, now_));
  const sc_core::sc_time stamp = sc_core::sc_time_stamp();
  event_.notify(at > stamp ? at - stamp : sc_core::SC_ZERO_TIME);
}

void ClockDomain::run_until(Cycle end) {
  horizon_ = end;
  const sc_core::sc_time target = period_ * static_cast<double>(end);
  if (target > sc_core::sc_time_stamp()) sc_core::sc_start(target - sc_core::sc_time_stamp());
  horizon_ = kNever;
}

void ClockDomain::run() {
  // An event notified from outside may come late: time never goes back.
  now_ = std::max(now_, static_cast<Cycle>(sc_core::sc_time_stamp() / period_));
  Cycle next = earliest();
  if (next == kNever) return;
  now_ = std::max(now_, next);

  // Cycles this activation may execute without overtaking another SystemC event.
  Cycle limit = std::min(now_ + kCyclesPerActivation, horizon_);
  if (sc_core::sc_pending_activity()) {
    const sc_core::sc_time horizon = sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity();
    limit = std::min(limit, static_cast<Cycle>(horizon / period_));
  }

  running_ = true;
  const std::size_t count = order_.size();
  do {
    for (std::size_t i = 0; i < count; ++i) {
      if (wake_[i] <= now_) {
        wake_[i] = kNever;
        order_[i]->tick();
      }
    }
    next = std::max(earliest(), now_ + 1);
    now_ = next == kNever ? now_ + 1 : next;
  } while (next < limit && !pause_requested_);
  running_ = false;

  if (pause_requested_) {
    pause_requested_ = false;
    sc_core::sc_pause();
  }
  if (next != kNever) rearm(next);
}

}  // namespace spica::base
