// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/types.h"
#include "models/simt_core/core_choices.h"

namespace spica::simt_core {

/// Chooses among the warps that ask in a cycle: the first one from the warp on whose turn it is.
///
/// round_robin   the turn passes to the warp behind the chosen one
/// rotating      the turn passes to the next warp in every cycle in which one asks, also if none is taken
///
/// Source   vortex libs/VX_lzc.sv (VX_lzc_rr: rotating)
class WarpTurn {
 public:
  WarpTurn(unsigned warps, Turns turns) : warps_(warps), rotates_(turns == Turns::kRotating) {}

  /// `asking` (one bit per warp) must not be 0.
  unsigned pick(std::uint32_t asking) {
    const std::uint32_t ahead = asking & (~std::uint32_t{0} << next_);
    const auto chosen = static_cast<unsigned>(__builtin_ctz(ahead != 0 ? ahead : asking));
    pass(chosen);
    return chosen;
  }
  /// As pick(), if only `warp` asks.
  void pass(unsigned warp) {
    const unsigned last = rotates_ ? next_ : warp;
    next_ = last + 1 == warps_ ? 0 : last + 1;
  }
  /// Warps asked in this number of cycles, and none was taken.
  void wait(base::Cycle cycles) {
    if (rotates_) next_ = static_cast<unsigned>((next_ + cycles) % warps_);
  }
  void reset() { next_ = 0; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_);  // Not saved: warps_, rotates_
  }

 private:
  const unsigned warps_;
  const bool rotates_;
  unsigned next_ = 0;  // the warp on whose turn it is
};

}  // namespace spica::simt_core
