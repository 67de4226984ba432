// SPDX-License-Identifier: Apache-2.0
// What the FP16 attention kernels have in common: loads of tiles of 64 x 64 FP16 elements by a matrix
// unit whose commands know larger tiles only. One thread, the driver, loads.
#pragma once

#include "sw/kernels/attention_common/half_softmax.h"
#include "sw/kernels/attention_common/unit_polls.h"

namespace attention {

constexpr unsigned kHalfBytes = 2, kBlockRows = MATRIX_UNIT_DIM;
constexpr unsigned kBlocks = kTile / kBlockRows;  // of the DMA, along each side of a tile
constexpr unsigned kHalfTileBytes = kTile * kTile * kHalfBytes;  // the room of Q, K, V
constexpr unsigned kQueryBytes = kTile * kHeadSlots * kHalfBytes;  // what Q and K take of it
constexpr unsigned kUnitRowBytes = MATRIX_UNIT_DIM * kHalfBytes;  // what the unit counts shared memory in
constexpr unsigned kHeadRowBytes = kHeadSlots * kHalfBytes;  // of Q in memory
constexpr unsigned kValueRowBytes = kHeadDim * kHalfBytes;  // of V: a slot of keys

/// Q as operand A of wmma, as the DMA brings it: blocks of 16 x 16. (gemm_common/warp_tile.h)
struct QueryTile {
  static constexpr bool kFar = false;
  static constexpr unsigned kStep = kBlockRows * kBlockRows * kHalfBytes;
  static constexpr unsigned kPanelRows = kBlockRows, kPanel = kHeadSlots / kBlockRows * kStep;
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
    rows_of_values();
    matrix_unit_config_load(kUnit, 1, sequence * kHalfBytes);
    matrix_unit_fence(kUnit);
  }
  /// What path A has now, when no load is under way; both rows of FP16 are as long.
  static void rows_of_queries() { matrix_unit_config_load(kUnit, 0, kHeadRowBytes); }
  static void rows_of_values() { matrix_unit_config_load(kUnit, 0, kValueRowBytes); }
  static unsigned row_of(unsigned address) { return (address - PLATFORM_SHARED_BASE) / kUnitRowBytes; }
  /// Blocks of rows and columns of what comes by path A; what comes by path B has kBlocks of columns, and as many of
  /// rows.
  template <unsigned rows, unsigned columns>
  void start(unsigned a, unsigned b, unsigned to_a, unsigned to_b, unsigned skips) const {
    matrix_unit_loop_bounds(kUnit, rows, kBlocks, columns);
    matrix_unit_loop_spad_ab(kUnit, row_of(to_a), row_of(to_b + kQueryBytes));
    matrix_unit_loop_address_ab(kUnit, a, b);
    matrix_unit_loop_stride_ab(kUnit, columns * kBlockRows, sequence);
    matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY | skips, 0, 0);
  }
  void queries(unsigned row, unsigned group) const {
    start<kBlocks, kHeadSlots / kBlockRows>(q + (row + group * kTile) * kHeadRowBytes, k,
                                            Places::query_tile(group), Places::key_tile(0),
                                            MATRIX_UNIT_LOOP_SKIP_LOAD_B);
  }
  void keys(unsigned block) const {
    start<kBlocks, kHeadSlots / kBlockRows>(v, k + block * kTile * kHalfBytes, Places::value_tile(0),
                                            Places::key_tile(block), MATRIX_UNIT_LOOP_SKIP_LOAD_A);
  }
  void keys_and_values(unsigned key_block, unsigned value_block) const {
    constexpr unsigned kRows = kKeySlots / kBlockRows;
    // Both have the same blocks along k, or each its own loop.
    start<kRows, kBlocks>(v + value_block * kKeySlots * kValueRowBytes, k + key_block * kTile * kHalfBytes,
                          Places::value_tile(value_block), Places::key_tile(key_block),
                          kFp8 ? MATRIX_UNIT_LOOP_SKIP_LOAD_B : 0);
    if (kFp8) keys(key_block);
  }
};

}  // namespace attention
