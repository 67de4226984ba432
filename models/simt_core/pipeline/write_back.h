// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/base/cycle_ring.h"
#include "models/base/invariant.h"
#include "models/base/types.h"

namespace spica::simt_core {

/// The completion of an instruction, or of a part of one.
struct Completion {
  std::uint32_t pc = 0;
  std::uint8_t lanes = 0;  // active lanes; 0: a part of an instruction, which commits later
  std::uint8_t row = 0;  // register row written; 0: none
  bool unlocks_fetch = false;
};

/// Results on their way to the register file: one write-back per warp and cycle.
class WriteBack {
 public:
  explicit WriteBack(unsigned warps) : warps_(warps), near_(std::size_t{kNear} * warps) {}

  /// Reserves the port of a warp in cycle `cycle`, at most 31 cycles ahead, for a row that commits no instruction.
  /// False: it is taken.
  bool hold_port(unsigned warp, base::Cycle now, base::Cycle cycle) {
    if (!free(warp, now, cycle)) return false;
    Held& held = held_[cycle % held_.size()];
    if (held.cycle != cycle) held = {cycle, 0};
    held.warps |= 1u << warp;
    return true;
  }
  /// The port of the warp is free in cycle `cycle`.
  bool free(unsigned warp, base::Cycle now, base::Cycle cycle) {
    const Held& held = held_[cycle % held_.size()];
    if (held.cycle == cycle && (held.warps >> warp & 1) != 0) return false;
    if (__builtin_expect(!far_.empty(), 0) && waits_far(warp, cycle)) return false;
    return cycle - now >= kNear || (due_.due(cycle) >> warp & 1) == 0;
  }

  /// The first cycle from `cycle` on in which the port of the warp is free.
  base::Cycle free_from(unsigned warp, base::Cycle now, base::Cycle cycle) {
    while (!free(warp, now, cycle)) ++cycle;
    return cycle;
  }

  /// In the first cycle from `due` on in which the port is free; returns it.
  base::Cycle schedule_at_free_port(base::Cycle now, base::Cycle due, unsigned warp,
                                    const Completion& completion) {
    due = free_from(warp, now, due);
    if (__builtin_expect(due - now < kNear, 1)) put_near(due, warp, completion);
    else schedule(now, due, warp, completion);
    return due;
  }
  /// Schedules a completion in cycle `due`, this one or a later one, in which the port is free.
  void schedule(base::Cycle now, base::Cycle due, unsigned warp, const Completion& completion) {
    SPICA_INVARIANT(due >= now);
    if (due - now >= kNear) {
      far_.push_back({due, warp, completion});
      return;
    }
    put_near(due, warp, completion);
  }

  /// Calls `commit(warp, completion)` for each completion due in cycle `now`. Call in every cycle with one.
  template <class Commit>
  void take_due(base::Cycle now, Commit&& commit) {
    if (__builtin_expect(!far_.empty(), 0)) bring_near(now);
    if (due_.due(now) == 0) return;
    for (std::uint32_t warps = due_.take(now); warps != 0; warps &= warps - 1) {
      const auto warp = static_cast<unsigned>(__builtin_ctz(warps));
      commit(warp, near(now, warp));
    }
  }
  /// The next cycle after `now` with a completion, or kNever.
  base::Cycle next(base::Cycle now) const {
    base::Cycle first = due_.next(now + 1);
    for (const Far& entry : far_) first = std::min(first, entry.due);
    return first;
  }
  bool empty() const { return due_.next(0) == base::kNever && far_.empty(); }

  void reset() {
    due_.clear();
    far_.clear();
    held_.fill({});
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(due_, near_, far_, held_);
  }

 private:
  static constexpr base::Cycle kNear = base::CycleRing::kCycles;
  struct Held {
    base::Cycle cycle = 0;
    std::uint32_t warps = 0;
  };
  struct Far {
    base::Cycle due;
    unsigned warp;
    Completion completion;
  };

  void put_near(base::Cycle due, unsigned warp, const Completion& completion) {
    due_.add(due, warp);
    near(due, warp) = completion;
  }
  Completion& near(base::Cycle due, unsigned warp) { return near_[due % kNear * warps_ + warp]; }
  bool waits_far(unsigned warp, base::Cycle cycle) const {
    return std::any_of(far_.begin(), far_.end(),
                       [&](const Far& entry) { return entry.due == cycle && entry.warp == warp; });
  }
  void bring_near(base::Cycle now) {
    const auto is_near = [&](const Far& entry) { return entry.due - now < kNear; };
    for (const Far& entry : far_) {
      if (!is_near(entry)) continue;
      put_near(entry.due, entry.warp, entry.completion);
    }
    far_.erase(std::remove_if(far_.begin(), far_.end(), is_near), far_.end());
  }

  base::DueCalendar<std::uint32_t> due_;  // warps that write back, by cycle
  const unsigned warps_;
  std::vector<Completion> near_;  // by cycle and warp
  std::vector<Far> far_;  // kNear cycles ahead or more
  std::array<Held, 32> held_{};  // by cycle
};

}  // namespace spica::simt_core
