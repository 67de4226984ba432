// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/cycle_ring.h"
#include "models/base/hot_inline.h"
#include "models/base/types.h"

namespace spica::base {

class Clocked;

/// The blocks of a clock domain in tick order, with their wake cycles and a calendar of those due in the next 63
/// cycles. Blocks lie in groups of 64; a group in which none has a wake cycle is asleep and costs nothing.
class BlockCalendar {
 public:
  static constexpr unsigned kGroup = 64;

  struct Group;
  /// The record of a block.
  struct Seat {
    Cycle wake = kNever;  // the cycle of its next tick
    std::uint64_t bit = 0;  // its bit in the group's calendar
    Group* group = nullptr;
    Clocked* block = nullptr;
  };
  struct Group {
    // An entry may be stale, if the block was ticked earlier and rescheduled; Seat::wake decides.
    DueCalendar<std::uint64_t> due;
    bool awake = false;  // among those linked by `next`, as every group with a wake cycle
    unsigned seated = 0;
    std::size_t place = 0;
    Group* next = nullptr;  // the next awake one in tick order
    std::array<Seat, kGroup> seats;
  };

  /// Adds a block at the end of the tick order.
  Seat& add(Clocked& block);
  /// A seat for no block. Its wake cycle means nothing.
  Seat spare() { return {kNever, 0, &group(0), nullptr}; }

  /// Enters a block whose wake cycle was set.
  void enter(const Seat& seat, Cycle cycle) { seat.group->due.add_bits(cycle, seat.bit); }
  /// To be called for the group of a block whose wake cycle is set. A block behind the one that is ticking can still
  /// tick in this cycle, even in a group that slept.
  void rouse(Group& group) {
    if (!group.awake) link(group);
  }
  /// Enters the blocks that wake before `limit`, in now or later, and lets groups without a wake cycle sleep.
  void plan(Cycle now, Cycle limit);
  /// The first wake cycle, or kNever.
  Cycle earliest() const;
  /// No block has a wake cycle any more.
  void forget();
  /// All seats in tick order.
  template <class Use>
  void for_each(Use&& use) {
    for (const auto& group : groups_)
      for (unsigned i = 0; i < group->seated; ++i) use(group->seats[i]);
  }

  /// The first cycle from `now` on with an entry, or kNever.
  Cycle next(Cycle now) const {
    Cycle first = kNever;
    for (const Group* group = first_; group != nullptr; group = group->next)
      first = std::min(first, group->due.next(now));
    return first;
  }
  /// Calls tick(seat) for the blocks due in cycle `now`, in tick order. One that wakes meanwhile ticks in this cycle if
  /// it is behind in the order; the others stay for leave().
  template <class Tick>
  SPICA_HOT_INLINE void visit(Cycle now, Tick&& tick) {
    for (Group* group = first_; group != nullptr; group = group->next) {
      std::uint64_t& due = group->due.due(now);
      std::uint64_t behind = ~std::uint64_t{0};
      for (std::uint64_t left; (left = due & behind) != 0;) {
        const std::uint64_t turn = left & -left;
        behind = -turn << 1;
        due ^= turn;
        Seat& seat = group->seats[static_cast<unsigned>(__builtin_ctzll(left))];
        if (seat.wake > now) continue;
        seat.wake = kNever;
        tick(seat);
      }
    }
  }
  /// Ends cycle `now`: blocks that entered it after their turn are due in the next one, if that is before `limit`.
  /// Returns the next cycle with an entry, or kNever.
  SPICA_HOT_INLINE Cycle leave(Cycle now, Cycle limit) {
    Cycle first = kNever;
    for (Group* group = first_; group != nullptr; group = group->next) {
      const std::uint64_t late = group->due.take(now);
      if (late != 0 && now + 1 < limit) group->due.add_bits(now + 1, late);
      first = std::min(first, group->due.next(now + 1));
    }
    return first;
  }

 private:
  Group& group(std::size_t place);
  void link(Group& group);

  std::vector<std::unique_ptr<Group>> groups_;
  Group* first_ = nullptr;  // awake one
};

}  // namespace spica::base
