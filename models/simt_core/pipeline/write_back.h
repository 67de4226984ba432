// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "models/base/calendar.h"

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
  /// Takes the write-back port of a warp in cycle `cycle`, at most 63 cycles ahead; false when it is taken.
  bool take_port(unsigned warp, base::Cycle cycle) {
    const std::uint64_t bit = std::uint64_t{1} << (cycle % 64);
    if ((taken_[warp] & bit) != 0) return false;
    taken_[warp] |= bit;
    return true;
  }
  void leave_port(unsigned warp, base::Cycle cycle) { taken_[warp] &= ~(std::uint64_t{1} << (cycle % 64)); }

  /// An instruction of the core's own units, which write back in order: in the first free cycle from `due` on.
  void schedule_in_order(base::Cycle now, base::Cycle due, const Completion& completion) {
    due = std::max(due, last_[completion.warp] + 1);
    last_[completion.warp] = schedule_at_free_port(now, due, completion);
  }
  /// In the first cycle from `due` on in which the port is free; returns it.
  base::Cycle schedule_at_free_port(base::Cycle now, base::Cycle due, const Completion& completion) {
    while (!take_port(completion.warp, due)) ++due;
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
    taken_.fill(0);
    last_.fill(0);
  }

 private:
  alignas(64) base::Calendar<Completion> completions_;
  std::array<std::uint64_t, 32> taken_{};  // by warp: cycles whose port is taken, bit = cycle mod 64
  std::array<base::Cycle, 32> last_{};  // by warp: the last one in order
};

}  // namespace spica::simt_core
