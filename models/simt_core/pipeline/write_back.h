// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "models/base/bounded_queue.h"
#include "models/base/calendar.h"
#include "models/base/cycle_ring.h"

namespace spica::simt_core {

/// The end of an instruction, or of a part of one.
struct Completion {
  std::uint8_t warp;
  bool unlocks_fetch;
  std::uint8_t lanes;  // that were active; 0: a part of an instruction, which commits later
  std::uint32_t pc;
  std::uint64_t writes;  // register rows
};

/// Results on their way to the register file: one write-back per warp and cycle.
class WriteBack {
 public:
  /// `rows`: at most these are held at a time.
  explicit WriteBack(std::size_t rows) : held_(rows) {}

  /// Takes the write-back port of a warp in cycle `cycle`, at most 63 cycles ahead; false when it is taken.
  bool take_port(unsigned warp, base::Cycle now, base::Cycle cycle) {
    while (!held_.empty() && held_.front().cycle <= now) {
      const Held held = held_.pop();
      leave_port(held.warp, held.cycle);
    }
    if (taken_[warp].marked(cycle)) return false;
    taken_[warp].mark(cycle);
    return true;
  }
  void leave_port(unsigned warp, base::Cycle cycle) { taken_[warp].unmark(cycle); }
  /// Takes the port for a row that is no instruction and commits nothing: nobody needs to leave it. In the order of
  /// the cycles.
  bool hold_port(unsigned warp, base::Cycle now, base::Cycle cycle) {
    if (!take_port(warp, now, cycle)) return false;
    held_.push({warp, cycle});
    return true;
  }

  /// An instruction of the core's own units, which write back in order: in the first free cycle from `due` on.
  void schedule_in_order(base::Cycle now, base::Cycle due, const Completion& completion) {
    due = std::max(due, last_[completion.warp] + 1);
    last_[completion.warp] = schedule_at_free_port(now, due, completion);
  }
  /// In the first cycle from `due` on in which the port is free; returns it.
  base::Cycle schedule_at_free_port(base::Cycle now, base::Cycle due, const Completion& completion) {
    while (!take_port(completion.warp, now, due)) ++due;
    completions_.schedule(now, due, completion);
    return due;
  }
  /// The port is taken already.
  void schedule(base::Cycle now, base::Cycle due, const Completion& completion) {
    completions_.schedule(now, due, completion);
  }

  template <class Commit>
  void take_due(base::Cycle now, Commit&& commit) {
    completions_.take_due(now, std::forward<Commit>(commit));
  }
  bool empty() const { return completions_.empty(); }
  base::Cycle next(base::Cycle now) const { return completions_.next(now); }

  void reset() {
    completions_.clear();
    held_.clear();
    taken_.fill({});
    last_.fill(0);
  }

 private:
  struct Held {
    unsigned warp = 0;
    base::Cycle cycle = 0;
  };

  alignas(64) base::Calendar<Completion> completions_;
  std::array<base::CycleRing, 32> taken_{};  // by warp: cycles whose port is taken
  std::array<base::Cycle, 32> last_{};  // by warp: the last one in order
  base::BoundedQueue<Held> held_;  // ports taken by rows
};

}  // namespace spica::simt_core
