// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/types.h"

namespace spica::base {

/// Marked cycles among the next 63: one bit per cycle, modulo 64. Faster than a heap at these distances. A marked cycle
/// must be unmarked before time passes it.
class CycleRing {
 public:
  static constexpr unsigned kCycles = 64;

  void mark(Cycle cycle) { ring_ |= bit(cycle); }
  void unmark(Cycle cycle) { ring_ &= ~bit(cycle); }
  bool marked(Cycle cycle) const { return (ring_ >> cycle % kCycles & 1) != 0; }
  bool empty() const { return ring_ == 0; }
  /// The first marked cycle from `from` on, or kNever.
  Cycle next(Cycle from) const {
    if (ring_ == 0) return kNever;
    const std::uint64_t ahead = ring_ >> from % kCycles | ring_ << -from % kCycles;
    return from + static_cast<unsigned>(__builtin_ctzll(ahead));
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(ring_);
  }

 private:
  static std::uint64_t bit(Cycle cycle) { return std::uint64_t{1} << cycle % kCycles; }

  std::uint64_t ring_ = 0;
};

/// Items due in the next 63 cycles, one bit of `Bits` per item. Every cycle with an item due must be visited.
template <class Bits>
class DueCalendar {
 public:
  /// `cycle` must be now or one of the next 63; not checked.
  void add(Cycle cycle, unsigned who) { add_bits(cycle, Bits{1} << who); }
  void add_bits(Cycle cycle, Bits bits) {
    due_[cycle % CycleRing::kCycles] |= bits;
    cycles_.mark(cycle);
  }
  /// The items due in `cycle`, to be removed one by one; call take() afterwards.
  Bits& due(Cycle cycle) { return due_[cycle % CycleRing::kCycles]; }
  /// Removes and returns the items due in `cycle`.
  Bits take(Cycle cycle) {
    Bits& slot = due_[cycle % CycleRing::kCycles];
    const Bits due = slot;
    slot = 0;
    cycles_.unmark(cycle);
    return due;
  }
  /// The first cycle from `from` on with an item due, or kNever.
  Cycle next(Cycle from) const { return cycles_.next(from); }
  void clear() {
    if (!cycles_.empty()) *this = {};
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cycles_, due_);
  }

 private:
  CycleRing cycles_;
  std::array<Bits, CycleRing::kCycles> due_{};
};

}  // namespace spica::base
