// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "models/base/cycle_ring.h"
#include "models/base/links.h"
#include "models/base/types.h"

namespace spica::base {

class Checkpoint;
class Component;

/// What the domain calls every cycle. A separate interface, so that the call touches only what is adjacent to the
/// block's other hot members, not the beginning of its sc_module.
class Clocked {
 public:
  /// One cycle.
  virtual void tick() = 0;

 protected:
  ~Clocked() = default;  // blocks are owned as what they are
};

/// The clock of a set of blocks, and the only SystemC process among them.
///
/// Every block names the next cycle in which it can do something (its wake cycle). The domain hops to
/// the earliest one and ticks the blocks that are due, in the order in which they were added. The order
/// is part of the model: blocks nearer to memory come first, so that room in their queues is free before
/// it is used, and their responses reach the cores in the same cycle.
///
/// One activation of the process may run several cycles ahead of sc_time_stamp(), up to the next event
/// of anybody else and never more than kCyclesPerActivation. When no block has a wake cycle, the
/// domain sleeps: with nothing else under way, sc_start() returns.
///
/// What comes from outside, a module with processes of its own or a block of another domain, comes at a time and is
/// delivered in the cycle that begins then or next (deliver()). Processes that run at the time at which a cycle begins
/// go first, so that what they send then belongs to that cycle.
///
/// A machine with several domains is run by one of them, which leads the others (lead()). What two domains do in cycles
/// that begin at the same time does not depend on who does it first: blocks of ours in different domains hear of each
/// other in a later cycle (protocol/crossing.h), and at a pause each domain has done what it does at that time.
class ClockDomain final : public sc_core::sc_module {
 public:
  static constexpr unsigned kCyclesPerActivation = CycleRing::kCycles;

  ClockDomain(const sc_core::sc_module_name& name, const sc_core::sc_time& period);

  /// What the domain knows of a block.
  struct Seat {
    Cycle wake = kNever;  // the cycle in which it ticks next
    DueCalendar<std::uint64_t>* due = nullptr;
    unsigned bit = 0;  // in `due`
    Clocked* block = nullptr;
  };

  /// Adds a block at the end of the tick order. Before the simulation starts.
  void add(Component& component);

  /// The cycle being executed; between activations the next one to execute.
  Cycle now() const { return now_; }
  const sc_core::sc_time& period() const { return period_; }
  /// True while a tick is in progress (calls into blocks from outside come between cycles).
  bool running() const { return running_; }

  /// This domain runs `follower` together with itself from now on: run_until(), asleep() and ticking() are about both,
  /// and pause() of one is for both. The leader has no leader, a follower no followers. Before the simulation starts.
  void lead(ClockDomain& follower);
  /// Brings a follower that has nothing to do to the time of its leader, so that its blocks can charge their time up to
  /// there. Nothing can come for an earlier cycle then.
  void catch_up();

  /// Of sockets of blocks in this domain, before they carry their first request.
  void set_links(Links links) { links_ = links; }
  Links links() const { return links_; }
  /// Of links that come from other domains of ours, see protocol/crossing.h: what arrives is seen `cycles` cycles of
  /// this domain later than it could be; at most `depth` requests (not 0) of a link are in the crossing.
  void set_crossing(Cycle cycles, unsigned depth = kCrossingDepth) {
    crossing_cycles_ = cycles;
    crossing_depth_ = depth;
  }
  Cycle crossing_cycles() const { return crossing_cycles_; }
  unsigned crossing_depth() const { return crossing_depth_; }

  /// Makes the domain tick a block at `cycle` or earlier.
  void wake(Seat& seat, Cycle cycle) {
    if (cycle >= seat.wake) return;
    seat.wake = cycle;
    if (cycle < limit_) enter(seat, cycle);
    else if (!running_) rearm(cycle);
  }
  /// Simulates until cycle `end` (not executing it), however far an activation would run ahead.
  /// Returns early when the simulation pauses or has nothing left to do. Called from outside processes. Passes on what
  /// a block throws; the domain cannot continue then. Followers run until the same time; now() is then the cycle where
  /// the next thing happens in any of the domains, at most `end`.
  void run_until(Cycle end);
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
  /// Calls `arrival` in the given cycle before its blocks tick, or in the next one to be executed; arrivals of one
  /// cycle in the order of their places (the name of a socket, which lives as long as the simulation), those of one
  /// place in the order of these calls.
  void deliver(Cycle cycle, std::function<void()> arrival, std::string_view place = {});
  /// A module outside has been called and may have plans now: the activation ends after the current cycle.
  void yield() {
    if (running_) limit_ = now_ + 1;
  }
  /// The block that ticks, or that threw out of its last tick; nullptr between ticks. For reports of internal errors.
  const Component* ticking() const;
  /// The cycle that begins now is `cycle`, earlier or later than it was, and no block has a wake cycle: the machine is
  /// about to become what it was then. Between activations; with those that it leads.
  void set_now(Cycle cycle);
  /// When it is, with those that it leads. Loading puts the cycles where they were in relation to the time of SystemC,
  /// and no block has a wake cycle: checkpoint_plans() follows, when the blocks are loaded.
  void checkpoint_time(Checkpoint& checkpoint);
  /// The wake cycles of all blocks.
  void checkpoint_plans(Checkpoint& checkpoint);
  /// True when no block has a wake cycle.
  bool asleep() const { return due() == kNever; }
  /// The first cycle that has not been executed: stays while the domain sleeps.
  Cycle executed() const { return begun_; }

 private:
  void run();
  /// Cycles that are over at `time`.
  Cycle over_by(const sc_core::sc_time& time) const { return (time.value() - first_) / period_.value(); }
  bool lets_others_go_first();
  void plan_activation();
  void execute();
  void finish_activation();
  void run_cycle();
  void put_off();
  Cycle next_due() const;
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
  /// Notes in the calendar of the activation that a block is due.
  void enter(const Seat& seat, Cycle cycle) { seat.due->add(cycle < now_ ? now_ : cycle, seat.bit); }

  const sc_core::sc_time period_;
  sc_core::sc_time::value_type first_ = 0;  // when cycle 0 began, or would have begun; modulo its range
  sc_core::sc_event event_;
  std::deque<Seat> seats_;
  std::vector<Seat*> order_;
  // Of the activation in progress: who is due in each of its cycles, 64 blocks each. It may name a block that was
  // ticked earlier and has other plans now; Seat::wake decides.
  std::vector<std::unique_ptr<DueCalendar<std::uint64_t>>> due_;
  Cycle limit_ = 0;  // the activation ends before this cycle; 0 between activations
  Cycle now_ = 0;
  Cycle begun_ = 0;  // the first cycle that has not been executed: what comes from outside can be for it
  Cycle horizon_ = kNever;  // of run_until()
  const Seat* ticking_ = nullptr;
  std::exception_ptr failure_;  // what a block threw; with the leader
  std::multimap<std::pair<Cycle, std::string_view>, std::function<void()>> arrivals_;
  bool others_have_gone_ = false;  // processes of the same time, before this activation
  bool running_ = false;
  bool pause_requested_ = false;
  ClockDomain* leader_ = nullptr;
  std::vector<ClockDomain*> followers_;
  Links links_ = Links::kDirect;
  Cycle crossing_cycles_ = 0;
  unsigned crossing_depth_ = kCrossingDepth;
};

}  // namespace spica::base
