// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/round_robin.h"
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
  WarpTurn(unsigned warps, Turns turns) : turn_(warps), rotates_(turns == Turns::kRotating) {}

  /// `asking` (one bit per warp) must not be 0.
  unsigned pick(std::uint32_t asking) {
    const unsigned chosen = turn_.first(asking);
    pass(chosen);
    return chosen;
  }
  /// As pick(), if only `warp` asks.
  void pass(unsigned warp) {
    if (rotates_) turn_.rotate();
    else turn_.pass(warp);
  }
  /// Warps asked in this number of cycles, and none was taken.
  void wait(base::Cycle cycles) {
    if (rotates_) turn_.rotate(cycles);
  }
  void reset() { turn_.reset(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(turn_);  // Not saved: rotates_
  }

 private:
  base::RoundRobin turn_;
  const bool rotates_;
};

}  // namespace spica::simt_core
