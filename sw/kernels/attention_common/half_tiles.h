// SPDX-License-Identifier: Apache-2.0
// What the FP16 attention kernels have in common: loads of tiles of 64 x 64 FP16 elements by a matrix
// unit whose commands know larger tiles only. One thread, the driver, loads.
#pragma once

#include "sw/kernels/attention_common/half_softmax.h"
#include "sw/kernels/attention_common/unit_polls.h"

namespace attention {

constexpr unsigned kHalfBytes = 2, kBlockRows = MATRIX_UNIT_DIM;
constexpr unsigned kBlocks = kTile / kBlockRows;  // of the DMA, along each side of a tile
constexpr unsigned kHalfTileBytes = kTile * kTile * kHalfBytes;  // of Q, K, V
constexpr unsigned kUnitRowBytes = MATRIX_UNIT_DIM * kHalfBytes;  // what the unit counts shared memory in
constexpr unsigned kHeadRowBytes = kHeadDim * kHalfBytes;  // of Q and V in memory

/// Q as operand A of wmma, as the DMA brings it: blocks of 16 x 16. (gemm_common/warp_tile.h)
struct QueryTile {
  static constexpr bool kFar = false;
  static constexpr unsigned kStep = kBlockRows * kBlockRows * kHalfBytes;
  static constexpr unsigned kPanelRows = kBlockRows, kPanel = kBlocks * kStep;
  static constexpr unsigned kWord = kVectorBytes, kEight = 8 * kWord;
};

/// The driver's part: loads into tiles. Places has their addresses: query_tile(group), key_tile(block)
/// and value_tile(block).
template <class Places>
struct HalfLoads {
  unsigned sequence, q, k, v;
  explicit HalfLoads(volatile const Arguments& a)
      : sequence(a.sequence),
        q(static_cast<unsigned>(a.q)),
        k(static_cast<unsigned>(a.k)),
        v(static_cast<unsigned>(a.v)) {}

  // Path A of the DMA has rows of Q and V, path B rows of the transposed K.
  void configure() const {
    matrix_unit_config_execute(kUnit);
    matrix_unit_config_load(kUnit, 0, kHeadRowBytes);
    matrix_unit_config_load(kUnit, 1, sequence * kHalfBytes);
    matrix_unit_fence(kUnit);
  }
  static unsigned row_of(unsigned address) { return (address - PLATFORM_SHARED_BASE) / kUnitRowBytes; }
  void start(unsigned a, unsigned b, unsigned to_a, unsigned to_b, unsigned skips) const {
    matrix_unit_loop_bounds(kUnit, kBlocks, kBlocks, kBlocks);
    matrix_unit_loop_spad_ab(kUnit, row_of(to_a), row_of(to_b + kHalfTileBytes));
    matrix_unit_loop_address_ab(kUnit, a, b);
    matrix_unit_loop_stride_ab(kUnit, kHeadDim, sequence);
    matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY | skips, 0, 0);
  }
  void queries(unsigned row, unsigned group) const {
    start(q + (row + group * kTile) * kHeadRowBytes, k, Places::query_tile(group), Places::key_tile(0),
          MATRIX_UNIT_LOOP_SKIP_LOAD_B);
  }
  void keys(unsigned block) const {
    start(v, k + block * kTile * kHalfBytes, Places::value_tile(0), Places::key_tile(block),
          MATRIX_UNIT_LOOP_SKIP_LOAD_A);
  }
  void keys_and_values(unsigned key_block, unsigned value_block) const {
    start(v + value_block * kTile * kHeadRowBytes, k + key_block * kTile * kHalfBytes,
          Places::value_tile(value_block), Places::key_tile(key_block), 0);
  }
};

}  // namespace attention
