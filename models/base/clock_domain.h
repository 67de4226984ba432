// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
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
  /// The block that ticks, or that threw out of its last tick; nullptr between ticks. For reports of internal errors.
  const Component* ticking() const;
  /// True when no block has a wake cycle.
  bool asleep() const { return earliest() == kNever; }

 private:
  void run();
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
  Cycle horizon_ = kNever;  // of run_until()
  const Seat* ticking_ = nullptr;
  std::exception_ptr failure_;  // what a block threw
  bool running_ = false;
  bool pause_requested_ = false;
};

}  // namespace spica::base
