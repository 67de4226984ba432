// SPDX-License-Identifier: Apache-2.0
// attention_tc: its groups of warps, and a warp's part of their products.
#pragma once

#include "sw/kernels/attention_common/attention_arguments.h"
#include "sw/kernels/gemm_common/warp_tile.h"

namespace attention {

constexpr unsigned kWarpGroups = 2, kGroupWarps = kWarps / kWarpGroups,
                   kGroupThreads = kThreads / kWarpGroups;
constexpr unsigned kPlainRowBytes = kKeysOfTile * sizeof(float);    // of scores and O in shared memory

/// A part of a product in the accumulators of a warp, to and from row-major tiles in shared memory.
class PlainPart : public WarpTile {
 public:
  using WarpTile::WarpTile;
  __attribute__((always_inline)) void load(unsigned c) const {
    c += (row_ + tensor_core_row(lane_)) * kPlainRowBytes +
         (column_ + tensor_core_column(lane_)) * sizeof(float);
    tensor_core_load_c<0>(c, 2 * kPlainRowBytes);
    tensor_core_load_c<1>(c + 8 * kPlainRowBytes, 2 * kPlainRowBytes);
  }
};

}  // namespace attention
