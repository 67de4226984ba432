// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <systemc>
#include <vector>

#include "models/base/cycle_ring.h"
#include "models/base/types.h"

namespace spica::base {

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
/// domain sleeps: with nothing else going on, sc_start() returns.
///
/// What comes from outside, a module with processes of its own or a block of another domain, comes at a time and is
/// delivered in the cycle that begins then or next (deliver()). Processes that run at the time at which a cycle begins
/// go first, so that what they send then belongs to that cycle.
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

  /// Makes the domain tick a block at `cycle` or earlier.
  void wake(Seat& seat, Cycle cycle) {
    if (cycle >= seat.wake) return;
    seat.wake = cycle;
    if (cycle < limit_) enter(seat, cycle);
    else if (!running_) rearm(cycle);
  }
  /// Simulates until cycle `end` (not executing it), however far an activation would run ahead.
  /// Returns early when the simulation pauses or has nothing left to do. Called from outside processes. Passes on what
  /// a block throws; the domain cannot go on then.
  void run_until(Cycle end);
  /// Ends the activation after the current cycle and pauses the simulation (sc_pause).
  void pause() { pause_requested_ = true; }

  /// The cycle that begins at `time` or next.
  Cycle cycle_at(const sc_core::sc_time& time) const {
    return (time.value() + period_.value() - 1) / period_.value();
  }
  /// How far the cycle being executed is ahead of sc_time_stamp(): the delay of a call to a module outside.
  sc_core::sc_time ahead() const {
    const sc_core::sc_time begin = period_ * static_cast<double>(now_);
    const sc_core::sc_time stamp = sc_core::sc_time_stamp();
    return running_ && begin > stamp ? begin - stamp : sc_core::SC_ZERO_TIME;
  }
  /// What happens at `time` belongs to the cycle being executed.
  bool executes(const sc_core::sc_time& time) const {
    return running_ && time == period_ * static_cast<double>(now_);
  }
  /// Calls `arrival` in the given cycle before its blocks tick, or in the next one to be executed; arrivals of one cycle
  /// in the order of these calls.
  void deliver(Cycle cycle, std::function<void()> arrival);
  /// A module outside has been called and may have plans now: the activation ends after the current cycle.
  void yield() {
    if (running_) limit_ = now_ + 1;
  }
  /// The block that ticks, or that threw out of its last tick; nullptr between ticks. For reports of internal errors.
  const Component* ticking() const;
  /// True when no block has a wake cycle.
  bool asleep() const { return earliest() == kNever; }

 private:
  void run();
  bool lets_others_go_first();
  void plan_activation();
  void execute();
  void finish_activation();
  void run_cycle();
  void put_off();
  Cycle next_due() const;
  void rearm(Cycle cycle);
  Cycle earliest() const;
  /// Notes in the calendar of the activation that a block is due.
  void enter(const Seat& seat, Cycle cycle) { seat.due->add(cycle < now_ ? now_ : cycle, seat.bit); }

  const sc_core::sc_time period_;
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
  std::exception_ptr failure_;  // what a block threw
  std::multimap<Cycle, std::function<void()>> arrivals_;
  bool others_have_gone_ = false;  // processes of the same time, before this activation
  bool running_ = false;
  bool pause_requested_ = false;
};

}  // namespace spica::base
