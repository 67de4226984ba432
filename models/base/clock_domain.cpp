// SPDX-License-Identifier: Apache-2.0
#include "models/base/clock_domain.h"

#include <algorithm>

#include "models/base/component.h"
#include "models/base/hot_inline.h"

namespace spica::base {

ClockDomain::ClockDomain(const sc_core::sc_module_name& name, const sc_core::sc_time& period)
    : sc_module(name), period_(period) {
  SC_HAS_PROCESS(ClockDomain);
  SC_METHOD(run);
  sensitive << event_;
  dont_initialize();
}

void ClockDomain::add(Component& component) {
  const std::size_t index = order_.size();
  if (index % 64 == 0) due_.push_back(std::make_unique<DueCalendar<std::uint64_t>>());
  Seat& seat = seats_.emplace_back();
  seat.due = due_.back().get();
  seat.bit = index % 64;
  seat.block = &component;
  order_.push_back(&seat);
  component.attach(*this, seat);
}

const Component* ClockDomain::ticking() const {
  return ticking_ == nullptr ? nullptr : dynamic_cast<const Component*>(ticking_->block);
}

Cycle ClockDomain::earliest() const {
  Cycle first = kNever;
  for (const Seat* seat : order_) first = std::min(first, seat->wake);
  return arrivals_.empty() ? first : std::min(first, std::max(now_, arrivals_.begin()->first));
}

void ClockDomain::deliver(Cycle cycle, std::function<void()> arrival) {
  cycle = std::max(cycle, running_ ? now_ + 1 : begun_);
  arrivals_.emplace(cycle, std::move(arrival));
  if (running_) {
    limit_ = std::min(limit_, cycle);
  } else {
    now_ = std::min(now_, cycle);  // which was to be the next one
    rearm(cycle);
  }
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
  if (failure_) std::rethrow_exception(failure_);
  const Cycle next = earliest();
  if (next != kNever) now_ = std::max(now_, std::min(next, end));
}

// Once per cycle, all three: what they cost is what the domain costs.
SPICA_HOT_INLINE Cycle ClockDomain::next_due() const {
  Cycle first = due_.front()->next(now_);
  for (std::size_t i = 1; i < due_.size(); ++i) first = std::min(first, due_[i]->next(now_));
  return first;
}

/// Blocks that entered cycle now_ while it was executed, behind their turn, are due in the next one.
SPICA_HOT_INLINE void ClockDomain::put_off() {
  std::size_t first = 0;
  for (auto& calendar : due_) {
    for (std::uint64_t late = calendar->take(now_); late != 0; late &= late - 1)
      if (now_ + 1 < limit_) enter(*order_[first + static_cast<unsigned>(__builtin_ctzll(late))], now_ + 1);
    first += 64;
  }
}

/// Ticks the blocks due in cycle now_, in the order of their index. A block that wakes another one after it
/// in the order lets it tick in the same cycle; one that is woken after its turn ticks in the next.
SPICA_HOT_INLINE void ClockDomain::run_cycle() {
  std::size_t first = 0;  // index of the calendar's first block
  for (auto& calendar : due_) {
    std::uint64_t& due = calendar->due(now_);
    std::uint64_t behind = ~std::uint64_t{0};
    for (std::uint64_t left; (left = due & behind) != 0;) {
      const std::uint64_t turn = left & -left;
      behind = -turn << 1;
      due ^= turn;
      Seat& seat = *order_[first + static_cast<unsigned>(__builtin_ctzll(left))];
      if (seat.wake > now_) continue;
      seat.wake = kNever;
      ticking_ = &seat;
      seat.block->tick();
    }
    first += 64;
  }
  ticking_ = nullptr;
  put_off();
}

/// True: processes wait for their turn at this time, and what they send may belong to the cycle that begins now.
bool ClockDomain::lets_others_go_first() {
  others_have_gone_ = !others_have_gone_ && sc_core::sc_pending_activity_at_current_time();
  if (others_have_gone_) event_.notify(sc_core::SC_ZERO_TIME);
  return others_have_gone_;
}

/// Cycles this activation may execute without overtaking another SystemC event, or what is to be delivered.
void ClockDomain::plan_activation() {
  limit_ = std::min(now_ + kCyclesPerActivation, horizon_);
  if (sc_core::sc_pending_activity()) {
    const sc_core::sc_time horizon = sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity();
    limit_ = std::min(limit_, static_cast<Cycle>(horizon / period_));
  }
  limit_ = std::max(limit_, now_ + 1);
  for (auto& calendar : due_) calendar->clear();
  for (const Seat* seat : order_)
    if (seat->wake < limit_) enter(*seat, seat->wake);
}

void ClockDomain::execute() {
  while (!arrivals_.empty() && arrivals_.begin()->first <= now_) {
    const std::function<void()> arrival = std::move(arrivals_.begin()->second);
    arrivals_.erase(arrivals_.begin());
    arrival();
  }
  if (!arrivals_.empty()) limit_ = std::min(limit_, arrivals_.begin()->first);
  Cycle next = 0;
  while (!pause_requested_ && (next = next_due()) < limit_) {
    now_ = next;
    run_cycle();
    ++now_;
  }
}

void ClockDomain::finish_activation() {
  running_ = false;
  limit_ = 0;
  begun_ = now_;
  const Cycle next = earliest();
  // An observer that looks at blocks at the horizon sees them at that time, whichever is due next.
  if (next != kNever) now_ = std::max(now_, std::min(next, horizon_));

  if (pause_requested_) {
    pause_requested_ = false;
    sc_core::sc_pause();
  }
  if (next != kNever) rearm(next);
}

void ClockDomain::run() {
  if (lets_others_go_first()) return;
  // An event notified from outside may come late: time never goes back.
  now_ = std::max(now_, static_cast<Cycle>(sc_core::sc_time_stamp() / period_));
  const Cycle next = earliest();
  if (next == kNever) return;
  now_ = std::max(now_, next);
  plan_activation();
  running_ = true;
  try {
    execute();
  } catch (...) {  // past SystemC, which would make another exception of it
    failure_ = std::current_exception();
    running_ = false;
    limit_ = 0;
    sc_core::sc_pause();
    return;
  }
  finish_activation();
}

}  // namespace spica::base
