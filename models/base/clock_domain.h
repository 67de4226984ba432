// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "models/base/block_calendar.h"
#include "models/base/cycle_ring.h"
#include "models/base/hot_inline.h"
#include "models/base/links.h"
#include "models/base/types.h"

namespace spica::base {

class Checkpoint;
class Component;
class SteppedClock;

/// What the domain calls every cycle. A separate interface, so that the call touches only members next to the block's
/// other hot members and not the beginning of its sc_module.
class Clocked {
 public:
  /// One cycle.
  virtual void tick() = 0;

 protected:
  ~Clocked() = default;  // blocks are deleted through their own type
};

/// The clock of a set of blocks, and the only SystemC process among them.
///
/// Every block names the next cycle in which it can act (its wake cycle). The domain jumps to the earliest one and
/// ticks the blocks that are due, in the order in which they were added. The order is part of the model: blocks nearer
/// to memory come first, so that space in their queues is free before it is used, and their responses reach the cores
/// in the same cycle.
///
/// One activation of the process may run several cycles ahead of sc_time_stamp(), up to the next event of another
/// process and at most kCyclesPerActivation. When no block has a wake cycle, the domain sleeps; if nothing else is
/// pending, sc_start() returns.
///
/// Calls from a module with its own processes, or from a block of another domain, are delivered in the cycle that
/// begins at that time or next (deliver()). Processes that run at the time at which a cycle begins run before it, so
/// their calls belong to that cycle.
///
/// In a machine with several domains, one domain leads the others and runs them (lead()). The result does not depend on
/// which of two domains executes first when their cycles begin at the same time: blocks in different domains see each
/// other's calls in a later cycle (protocol/transport/crossing.h), and at a pause each domain has executed all cycles due by
/// then.
class ClockDomain final : public sc_core::sc_module {
 public:
  static constexpr unsigned kCyclesPerActivation = CycleRing::kCycles;

  ClockDomain(const sc_core::sc_module_name& name, const sc_core::sc_time& period);

  /// The domain's record of a block.
  using Seat = BlockCalendar::Seat;

  /// Adds a block at the end of the tick order. Before the simulation starts.
  void add(Component& component);
  /// For a block that has not been added.
  Seat spare_seat() { return blocks_.spare(); }

  /// The cycle being executed; between activations the next one to execute.
  Cycle now() const { return now_; }
  const sc_core::sc_time& period() const { return period_; }
  /// The object that steps this domain instead of its process, or nullptr.
  SteppedClock* stepper() const { return stepper_; }

  /// This domain runs `follower` together with itself from now on: run_until(), asleep() and ticking() cover both, and
  /// pause() of one pauses both. A leader has no leader, a follower has no followers. Call before the simulation
  /// starts.
  void lead(ClockDomain& follower);
  /// Brings an idle follower to the time of its leader, so that its blocks can charge their time up to now. No call for
  /// an earlier cycle may follow.
  void catch_up();

  /// Sets the kind of links of sockets of blocks in this domain, before they carry their first request.
  void set_links(Links links) { links_ = links; }
  Links links() const { return links_; }
  /// For links from other domains (protocol/transport/crossing.h): adds `cycles` cycles of this domain to their latency, and
  /// limits the requests of a link in the crossing to `depth` (not 0).
  void set_crossing(Cycle cycles, unsigned depth = kCrossingDepth) {
    crossing_cycles_ = cycles;
    crossing_depth_ = depth;
  }
  Cycle crossing_cycles() const { return crossing_cycles_; }
  unsigned crossing_depth() const { return crossing_depth_; }

  /// Makes the domain tick a block at `cycle` or earlier.
  SPICA_HOT_INLINE void wake(Seat& seat, Cycle cycle) {
    if (cycle >= seat.wake) return;
    seat.wake = cycle;
    blocks_.rouse(*seat.group);
    if (cycle < limit_) enter(seat, cycle);
    else if (!running_) rearm(cycle);
  }
  /// Simulates until cycle `end` (not executing it). Returns early when the simulation pauses or has no events left.
  /// Call from outside processes. Rethrows exceptions of blocks; the domain cannot continue after one. Followers run
  /// until the same time. Afterwards now() is the cycle of the next event in any of the domains, at most `end`.
  /// Returns whether pause() ended it, perhaps in its last cycle.
  bool run_until(Cycle end);
  /// Ends the activation after the current cycle and pauses the simulation (sc_pause).
  void pause();

  /// The cycle that begins at `time` or next.
  Cycle cycle_at(const sc_core::sc_time& time) const {
    return (time.value() - first_ + period_.value() - 1) / period_.value();
  }
  /// The first cycle that begins after `time`.
  Cycle cycle_after(const sc_core::sc_time& time) const { return over_by(time) + 1; }
  /// When a cycle begins.
  sc_core::sc_time begin(Cycle cycle) const {
    return sc_core::sc_time::from_value(first_ + cycle * period_.value());
  }
  /// The cycle being executed; between activations, when now() may be ahead, the one that begins now or next.
  Cycle current() const { return running_ ? now_ : cycle_at(sc_core::sc_time_stamp()); }
  /// How far the cycle being executed is ahead of sc_time_stamp(): the delay of a call to a module outside.
  sc_core::sc_time ahead() const {
    const sc_core::sc_time at = begin(now_);
    const sc_core::sc_time& stamp = sc_core::sc_time_stamp();
    return running_ && at > stamp ? at - stamp : sc_core::SC_ZERO_TIME;
  }
  /// What happens at `time` belongs to the cycle being executed.
  bool executes(const sc_core::sc_time& time) const { return running_ && time == begin(now_); }
  /// Calls `arrival` in the given cycle before its blocks tick, or in the next cycle to be executed. Arrivals of one
  /// cycle are ordered by `place` (the name of a socket, which lives as long as the simulation), those of one place by
  /// the order of these calls.
  void deliver(Cycle cycle, std::function<void()> arrival, std::string_view place = {});
  /// A module outside has been called and may have scheduled events: the activation ends after the current cycle.
  void yield() {
    if (running_) limit_ = now_ + 1;
  }
  /// The block that is ticking, or whose last tick threw; nullptr between ticks. For reports of internal errors.
  const Component* ticking() const;
  /// Sets the cycle that begins now, earlier or later than before, and clears all wake cycles: a checkpoint is about to
  /// be loaded. Call between activations. Applies to followers also.
  void set_now(Cycle cycle);
  /// Saves or loads the current cycle, including that of followers. Loading restores the relation of cycles to SystemC
  /// time and clears all wake cycles; call checkpoint_plans() after the blocks are loaded.
  void checkpoint_time(Checkpoint& checkpoint);
  /// Saves or loads the wake cycles of all blocks.
  void checkpoint_plans(Checkpoint& checkpoint);
  /// True when no block has a wake cycle.
  bool asleep() const { return due() == kNever; }
  /// The first cycle that has not been executed; does not move while the domain sleeps.
  Cycle executed() const { return executed_; }

 private:
  friend class SteppedClock;
  void run();
  /// Number of cycles that have ended at `time`.
  Cycle over_by(const sc_core::sc_time& time) const { return (time.value() - first_) / period_.value(); }
  bool lets_others_go_first();
  void plan_activation();
  void execute();
  void finish_activation();
  void rearm(Cycle cycle);
  Cycle earliest() const;
  Cycle due() const;
  void halt();
  void finish_instant();
  ClockDomain& head() { return leader_ == nullptr ? *this : *leader_; }
  bool alone() const { return leader_ == nullptr && followers_.empty(); }
  template <class Function>
  void for_all(Function&& function) {
    function(head());
    for (ClockDomain* follower : head().followers_) function(*follower);
  }
  /// Enters a due block in the calendar of the activation.
  void enter(const Seat& seat, Cycle cycle) { blocks_.enter(seat, cycle < now_ ? now_ : cycle); }

  const sc_core::sc_time period_;
  sc_core::sc_time::value_type first_ =
      0;  // when cycle 0 began, or would have begun; modulo the range of the type
  sc_core::sc_event event_;
  BlockCalendar blocks_;  // entries: those of the current activation
  Cycle limit_ = 0;  // the activation ends before this cycle; 0 between activations
  Cycle now_ = 0;
  Cycle executed_ =
      0;  // the first cycle that has not been executed: calls from outside may still belong to it
  Cycle horizon_ = kNever;  // the argument of run_until()
  const Seat* ticking_ = nullptr;
  std::exception_ptr failure_;  // exception thrown by a block; kept by the leader
  std::multimap<std::pair<Cycle, std::string_view>, std::function<void()>> arrivals_;
  bool others_have_gone_ = false;  // other processes of the same time have run before this activation
  bool running_ = false;
  bool pause_requested_ = false;
  bool was_paused_ = false;  // kept by the leader
  SteppedClock* stepper_ = nullptr;
  ClockDomain* leader_ = nullptr;
  std::vector<ClockDomain*> followers_;
  Links links_ = Links::kDirect;
  Cycle crossing_cycles_ = 0;
  unsigned crossing_depth_ = kCrossingDepth;
};

}  // namespace spica::base
