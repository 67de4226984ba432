// SPDX-License-Identifier: Apache-2.0
#include "models/base/clock_domain.h"

#include <algorithm>

#include "models/base/component.h"
#include "models/base/invariant.h"

namespace spica::base {

ClockDomain::ClockDomain(const sc_core::sc_module_name& name, const sc_core::sc_time& period)
    : sc_module(name), period_(period) {
  SC_HAS_PROCESS(ClockDomain);
  SC_METHOD(run);
  sensitive << event_;
  dont_initialize();
}

void ClockDomain::add(Component& component) { component.attach(*this, blocks_.add(component)); }

void ClockDomain::lead(ClockDomain& follower) {
  SPICA_INVARIANT(leader_ == nullptr && follower.alone() && &follower != this);
  follower.leader_ = this;
  followers_.push_back(&follower);
}

const Component* ClockDomain::ticking() const {
  if (ticking_ != nullptr) return dynamic_cast<const Component*>(ticking_->block);
  for (const ClockDomain* follower : followers_)
    if (follower->ticking_ != nullptr) return follower->ticking();
  return nullptr;
}

Cycle ClockDomain::earliest() const {
  const Cycle first = blocks_.earliest();
  return arrivals_.empty() ? first : std::min(first, std::max(now_, arrivals_.begin()->first.first));
}

/// The cycle of this domain in which something happens next, here or at a follower.
Cycle ClockDomain::due() const {
  Cycle first = earliest();
  for (const ClockDomain* follower : followers_)
    if (const Cycle cycle = follower->earliest(); cycle != kNever)
      first = std::min(first, cycle_at(follower->begin(cycle)));
  return first;
}

void ClockDomain::catch_up() {
  if (leader_ == nullptr || running_) return;
  const Cycle reached = leader_->running_ ? leader_->now_ : std::min(leader_->now_, leader_->due());
  const Cycle cycle = std::min(cycle_at(leader_->begin(reached)), earliest());
  now_ = std::max(now_, cycle);
  executed_ = std::max(executed_, cycle);
}

void ClockDomain::deliver(Cycle cycle, std::function<void()> arrival, std::string_view place) {
  cycle = std::max(cycle, running_ ? now_ + 1 : executed_);
  arrivals_.emplace(std::pair(cycle, place), std::move(arrival));
  if (running_) {
    limit_ = std::min(limit_, cycle);
  } else {
    now_ = std::min(now_, cycle);  // which was to be the next one
    rearm(cycle);
  }
}

void ClockDomain::rearm(Cycle cycle) {
  if (stepper_ != nullptr) return;
  const sc_core::sc_time at = begin(std::max(cycle, now_));
  const sc_core::sc_time& stamp = sc_core::sc_time_stamp();
  event_.notify(at > stamp ? at - stamp : sc_core::SC_ZERO_TIME);
}

bool ClockDomain::run_until(Cycle end) {
  if (leader_ != nullptr) return leader_->run_until(leader_->cycle_at(begin(end)));
  const sc_core::sc_time target = begin(end);
  was_paused_ = false;
  horizon_ = end;
  for (ClockDomain* follower : followers_) follower->horizon_ = follower->cycle_at(target);
  if (target > sc_core::sc_time_stamp()) sc_core::sc_start(target - sc_core::sc_time_stamp());
  if (!alone() && sc_core::sc_time_stamp() < target) finish_instant();
  for_all([](ClockDomain& each) { each.horizon_ = kNever; });
  if (failure_) std::rethrow_exception(failure_);
  const Cycle next = due();
  if (next == kNever)  // it is as late as it is for the last one that had something to do
    for (const ClockDomain* follower : followers_)
      now_ = std::max(now_, std::min(cycle_at(follower->begin(follower->now_)), end));
  else  // SystemC has advanced further while there was nothing to do
    now_ = std::max(now_, std::min(std::max(next, over_by(sc_core::sc_time_stamp())), end));
  if (next == kNever && sc_core::sc_pending_activity())  // another module works, and may answer
    now_ = std::max(now_, std::min(end, over_by(sc_core::sc_time_stamp())));
  return was_paused_;
}

void ClockDomain::pause() {
  for_all([](ClockDomain& each) { each.pause_requested_ = true; });
}

/// Pauses the simulation. In run_until(), other domains do not advance past the last executed cycle.
void ClockDomain::halt() {
  const sc_core::sc_time last = begin(executed_ == 0 ? 0 : executed_ - 1);
  const bool bounded = !alone() && head().horizon_ != kNever;
  for_all([&](ClockDomain& each) {
    each.pause_requested_ = false;
    if (bounded) each.horizon_ = std::min(each.horizon_, each.cycle_after(last));
  });
  head().was_paused_ = true;
  sc_core::sc_pause();
}

/// After a pause: lets each domain execute the cycle that begins at this time. SystemC's own order of processes is
/// arbitrary.
void ClockDomain::finish_instant() {
  const auto pending = [](const ClockDomain& each) {
    const Cycle next = each.earliest();
    return next < each.horizon_ && each.begin(next) <= sc_core::sc_time_stamp();
  };
  for (bool more = true; more && !failure_ && sc_core::sc_pending_activity_at_current_time();) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    more = false;
    for_all([&](const ClockDomain& each) { more = more || pending(each); });
  }
}

/// True if processes wait for their turn at this time whose actions may belong to the cycle that begins now.
bool ClockDomain::lets_others_go_first() {
  others_have_gone_ = !others_have_gone_ && sc_core::sc_pending_activity_at_current_time();
  if (others_have_gone_) event_.notify(sc_core::SC_ZERO_TIME);
  return others_have_gone_;
}

/// The number of cycles this activation may execute without overtaking another SystemC event or a pending delivery.
void ClockDomain::plan_activation() {
  limit_ = std::min(now_ + kCyclesPerActivation, horizon_);
  if (sc_core::sc_pending_activity()) {
    const sc_core::sc_time horizon = sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity();
    limit_ = std::min(limit_, over_by(horizon));
  }
  limit_ = std::max(limit_, now_ + 1);
  blocks_.plan(now_, limit_);
}

void ClockDomain::execute() {
  while (!arrivals_.empty() && arrivals_.begin()->first.first <= now_) {
    const std::function<void()> arrival = std::move(arrivals_.begin()->second);
    arrivals_.erase(arrivals_.begin());
    arrival();
  }
  if (!arrivals_.empty()) limit_ = std::min(limit_, arrivals_.begin()->first.first);
  // Executed once per cycle, so it determines the cost of the domain.
  for (Cycle next = blocks_.next(now_); next < limit_ && !pause_requested_;) {
    now_ = next;
    blocks_.visit(now_, [this](Seat& seat) {
      ticking_ = &seat;
      seat.block->tick();
    });
    ticking_ = nullptr;
    next = blocks_.leave(now_, limit_);
    ++now_;
  }
}

void ClockDomain::finish_activation() {
  running_ = false;
  limit_ = 0;
  executed_ = now_;
  const Cycle next = earliest();
  // An observer that looks at blocks at the horizon sees them at that time, whichever is due next.
  // With others, a future event can be earlier: run_until() handles that.
  if (next != kNever && alone()) now_ = std::max(now_, std::min(next, horizon_));

  if (pause_requested_) halt();
  if (next != kNever) rearm(next);
}

void ClockDomain::run() {
  if (head().failure_) return;
  if (lets_others_go_first()) return;
  // An event notified from outside may come late: time never goes back.
  now_ = std::max(now_, over_by(sc_core::sc_time_stamp()));
  const Cycle next = earliest();
  if (next == kNever) return;
  now_ = std::max(now_, next);
  if (begin(now_) > sc_core::sc_time_stamp()) return rearm(now_);  // a call for a cycle that is done
  plan_activation();
  running_ = true;
  try {
    execute();
  } catch (...) {  // past SystemC, which would make another exception of it
    head().failure_ = std::current_exception();
    running_ = false;
    limit_ = 0;
    sc_core::sc_pause();
    return;
  }
  finish_activation();
}

}  // namespace spica::base
