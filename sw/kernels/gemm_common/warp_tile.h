// SPDX-License-Identifier: Apache-2.0
// What the two tensor-core kernels have in common: the 16 x 8 part of an output tile that one warp
// computes. 32 warps make a tile of 64 x 64; the accumulators of a warp hold its part through all
// of k.
#pragma once

#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <tensor_core.h>

constexpr unsigned kTile = 64;                        // rows, columns and words of k of a tile
constexpr unsigned kPartRows = 2 * TENSOR_CORE_TILE;  // of a warp: two instructions share B
constexpr unsigned kPartColumns = TENSOR_CORE_TILE;
constexpr unsigned kWarps = kTile / kPartRows * (kTile / kPartColumns);
constexpr unsigned kWarpThreads = 8;
constexpr unsigned kThreads = kWarps * kWarpThreads;
constexpr unsigned kWordBytes = sizeof(float);

// Where shared memory has A (quarters 0 and 1) and B (quarters 2 and 3), by buffer.
constexpr unsigned kQuarterBytes = kTile * kTile * kWordBytes;
static inline unsigned shared_a(unsigned buffer) {
  return PLATFORM_SHARED_BASE + buffer * kQuarterBytes;
}
static inline unsigned shared_b(unsigned buffer) { return shared_a(2 + buffer); }

// Bytes from one word of k to the next, and from eight rows of A (columns of B) to the next eight.
// In both layouts eight neighbouring rows (columns) at one k are eight words of one shared-memory
// line, so lane l loads a word of its own: no conflict.
struct RowOfK {  // a row of 64 rows of A (columns of B) for each k
  static constexpr unsigned kWord = kTile * kWordBytes, kEight = 8 * kWordBytes;
};
struct BlocksOfEight {  // what the matrix unit's DMA makes of such rows: blocks of 8 x 8
  static constexpr unsigned kWord = 8 * kWordBytes, kEight = 8 * kWord;
};

// clear(), multiply() and store() belong into one function (tensor_core.h): a function of their own
// would save and restore the registers in which C lives.
class WarpTile {
 public:
  // `thread`: number in the cluster; neighbouring warps have neighbouring columns.
  explicit WarpTile(unsigned thread)
      : lane_(thread % kWarpThreads),
        row_(thread / kWarpThreads / (kTile / kPartColumns) * kPartRows),
        column_(thread / kWarpThreads % (kTile / kPartColumns) * kPartColumns) {}

  __attribute__((always_inline)) static void clear() {
    tensor_core_clear<0>();
    tensor_core_clear<1>();
  }

  // One k block: 8 steps of 24 loads (8 words of B, twice 8 of A) and two multiplications. The
  // addresses are made from k before each group of eight loads, as in the published kernels' code:
  // about 6 instructions per multiplication with the loop. Keeping pointers instead would be a
  // faster kernel and another experiment.
  template <class Layout>
  __attribute__((always_inline)) void multiply(unsigned a, unsigned b) const {
    constexpr unsigned kStep =
        TENSOR_CORE_TILE * kTile * kWordBytes;  // bytes of eight k, both layouts
    a += row_ / 8 * Layout::kEight + lane_ * kWordBytes;
    b += column_ / 8 * Layout::kEight + lane_ * kWordBytes;
    for (unsigned step = 0; step < kTile / TENSOR_CORE_TILE; ++step) {
      tensor_core_load_b<Layout::kWord>(b + again(step) * kStep);
      tensor_core_load_a<Layout::kWord>(a + again(step) * kStep);
      tensor_core_multiply<0>();
      tensor_core_load_a<Layout::kWord>(a + again(step) * kStep + Layout::kEight);
      tensor_core_multiply<1>();
    }
  }

  // 16 stores from registers to the row-major matrix whose tile begins at `c`. A store touches four
  // rows and two words in each: little to coalesce.
  __attribute__((always_inline)) void store(unsigned c, unsigned row_bytes) const {
    c += (row_ + tensor_core_row(lane_)) * row_bytes;
    c += (column_ + tensor_core_column(lane_)) * kWordBytes;
    tensor_core_store<0>(c, 2 * row_bytes);
    tensor_core_store<1>(c + 8 * row_bytes, 2 * row_bytes);
  }

 protected:
  // The same value, of which the compiler must not reuse what it computed from it before.
  static unsigned again(unsigned value) {
    __asm__ volatile("" : "+r"(value));
    return value;
  }

  unsigned lane_, row_, column_;
};

// True when the machine has a warp for each part of the tile; if not, core 0 says so.
static inline bool warp_tiles_fit() {
  if (simt_lanes() == kWarpThreads && spawn_threads() == kThreads) return true;
  if (simt_core() == 0)
    printf("%u threads in warps of %u, needed are %u in warps of %u\n", spawn_threads(),
           simt_lanes(), kThreads, kWarpThreads);
  return false;
}
