// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/base/cycle_ring.h"
#include "models/base/hot_inline.h"
#include "models/base/types.h"

namespace spica::base {

/// Blocks due in the next 63 cycles, in two levels: a bit for each block, and a bit for each group of 64 blocks with
/// one due. Groups without a due block cost nothing.
class BlockCalendar {
 public:
  /// For block numbers from 0 to `count` - 1. Before the first use.
  void resize(std::size_t count) {
    blocks_.resize((count + 63) / 64);
    groups_.resize((blocks_.size() + 63) / 64);
  }
  /// `cycle` must be now or one of the next 63; not checked.
  void add(Cycle cycle, unsigned block) {
    const std::size_t slot = cycle % CycleRing::kCycles;
    blocks_[block / 64][slot] |= std::uint64_t{1} << block % 64;
    groups_[block / (64 * 64)][slot] |= std::uint64_t{1} << block / 64 % 64;
    cycles_.mark(cycle);
  }
  /// The first cycle from `from` on with a block due, or kNever.
  Cycle next(Cycle from) const { return cycles_.next(from); }
  /// Removes the blocks due in `cycle` and calls use(block) for each, in ascending order. Blocks that `use` adds to this
  /// cycle take part if they come later in the order; the others stay for the next call.
  template <class Use>
  SPICA_HOT_INLINE void take(Cycle cycle, Use&& use) {
    const std::size_t slot = cycle % CycleRing::kCycles;
    for (std::size_t top = 0; top < groups_.size(); ++top)
      take_bits(groups_[top][slot], [&](std::size_t group) {
        group += top * 64;
        take_bits(blocks_[group][slot], [&](std::size_t block) { use(group * 64 + block); });
      });
  }
  /// No block is due in `cycle` any more, after calls of take() that have left none.
  void leave(Cycle cycle) { cycles_.unmark(cycle); }
  void clear();

 private:
  using Row = std::array<std::uint64_t, CycleRing::kCycles>;  // by cycle

  template <class Use>
  SPICA_HOT_INLINE static void take_bits(std::uint64_t& bits, Use&& use) {
    std::uint64_t later = ~std::uint64_t{0};
    for (std::uint64_t left; (left = bits & later) != 0;) {
      const std::uint64_t turn = left & -left;
      later = -turn << 1;
      bits ^= turn;
      use(static_cast<std::size_t>(__builtin_ctzll(left)));
    }
  }

  CycleRing cycles_;
  std::vector<Row> blocks_, groups_;
};

}  // namespace spica::base
