// SPDX-License-Identifier: Apache-2.0
// A warp's part of the output in the accumulators of its tensor core, of kernels that keep it in shared memory between
// the products of a pass.
#pragma once

#include "sw/kernels/attention_common/online_softmax.h"
#include "sw/kernels/gemm_common/warp_tile.h"

namespace attention {

class OutputTile : public WarpTile {
 public:
  using WarpTile::WarpTile;
  static constexpr unsigned kSavedBytes = 16 * kVectorBytes;  // accumulators of a warp

  // As they are, to and from a place of the warp's own.
  __attribute__((always_inline)) void save(unsigned place) const {
    tensor_core_save<0>(place + lane_ * kWordBytes);
    tensor_core_save<1>(place + kSavedBytes / 2 + lane_ * kWordBytes);
  }
  __attribute__((always_inline)) void restore(unsigned place) const {
    tensor_core_restore<0>(place + lane_ * kWordBytes);
    tensor_core_restore<1>(place + kSavedBytes / 2 + lane_ * kWordBytes);
  }
  // Times one factor for each query of the tile.
  __attribute__((always_inline)) void scale_rows(unsigned factors) const {
    factors += (row_ + tensor_core_row(lane_)) * kWordBytes;
    tensor_core_scale_rows<0>(factors);
    tensor_core_scale_rows<1>(factors + 8 * kWordBytes);
  }
};

}  // namespace attention
