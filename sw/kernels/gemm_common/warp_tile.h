// SPDX-License-Identifier: Apache-2.0
// What the tensor-core kernels have in common: the 16 x 8 part of an output tile that one warp
// computes. The accumulators of a warp hold its part through all of k.
#pragma once

#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <tensor_core.h>

#include "sw/kernels/gemm_common/tile_shape.h"
#ifdef GEMM_EPILOGUE
#include "sw/kernels/gemm_common/epilogue.h"
#endif

// How an operand tile lies in shared memory, in bytes:
//   kWord   from one word of k to the next
//   kEight  from eight rows of A (columns of B) to the next eight
//   kStep   from eight words of k to the next eight
//   kPanel  from kPanelRows rows (columns) to the next
//   kFar    of A: the last of eight words of k are out of the reach of offsets, or are loaded as if they were
// In all layouts eight neighbouring rows (columns) at one word of k are eight words of one
// shared-memory line, so lane l loads a word of its own: no conflict.

// A row of all rows of A (columns of B) for each word of k.
template <unsigned rows>
struct RowOfK {
  static constexpr unsigned kPanelRows = rows, kPanel = 0;
  static constexpr unsigned kWord = rows * kWordBytes, kEight = 8 * kWordBytes;
  static constexpr unsigned kStep = 8 * kWord;
  static constexpr bool kFar = 7 * kWord >= 2048;
};
// What the matrix unit's DMA makes of a matrix in memory whose rows are words of k: blocks of 8 x 8,
// FP32. `rows`: of A (columns of B) in the tile.
template <unsigned rows>
struct Blocks {
  static constexpr unsigned kPanelRows = rows, kPanel = 0;
  static constexpr unsigned kWord = 8 * kWordBytes, kEight = 8 * kWord;
  static constexpr unsigned kStep = rows / 8 * kEight;
  static constexpr bool kFar = false;
};
// What it makes of FP16 matrices that are row-major but for an exchange of elements in small squares
// (gemm_tc_dma): blocks of 16 x 16. A line of 32 bytes of a block has one word of k of eight rows of A,
// eight consecutive lines; or of eight columns of B, two lines side by side in k.
constexpr unsigned kBlockBytes16 = 16 * 16 * 2;
// kFar: as in the published program, whose rows are as without DMA.
struct SwizzledA {
  static constexpr bool kFar = true;
  static constexpr unsigned kPanelRows = 16, kPanel = kTileWords / 8 * kBlockBytes16;
  static constexpr unsigned kWord = 8 * kWordBytes, kEight = 8 * kWord;
  static constexpr unsigned kStep = kBlockBytes16;
};
struct SwizzledB {
  static constexpr unsigned kPanelRows = 16, kPanel = kBlockBytes16;
  static constexpr unsigned kEight = 8 * kWordBytes, kWord = 2 * kEight;
  static constexpr unsigned kStep = kTileN / 16 * kBlockBytes16;
};

// clear(), multiply() and store() belong into one function (tensor_core.h): a function of their own
// would save and restore the registers in which C lives.
class WarpTile {
 public:
  // `thread`: number in the cluster; neighbouring warps have neighbouring columns.
  explicit WarpTile(unsigned thread)
      : lane_(thread % kWarpThreads),
        row_(thread / kWarpThreads / (kTileN / kPartColumns) * kPartRows),
        column_(thread / kWarpThreads % (kTileN / kPartColumns) * kPartColumns) {}

  __attribute__((always_inline)) static void clear() {
    tensor_core_clear<0>();
    tensor_core_clear<1>();
  }

  // One k block (`words` of k): steps of 24 loads (8 words of B, twice 8 of A) and two multiplications, four in a pass
  // of the loop, as in the published source (kernels sgemm_impl.hpp).
  //
  // With GEMM_PUBLISHED the compiler sees all addresses, and each load is a statement, as there: clang 19 -Os makes
  // 6.25 other instructions of a step, 10.25 where A is far, as of the published source. Without, each group of eight
  // loads has its address made in front of it, from opaque offsets: 5.5 or 7.5 other instructions.
#ifdef GEMM_PUBLISHED
  template <class LayoutA, class LayoutB, unsigned words = kTileWords>
  __attribute__((always_inline)) void multiply(unsigned a, unsigned b) const {
#pragma GCC unroll 4
    for (unsigned k = 0; k < words; k += TENSOR_CORE_TILE) {
      load_b<LayoutB>(word<LayoutB>(b, static_cast<int>(k), column_));
      load_a<LayoutA>(word<LayoutA>(a, static_cast<int>(k), row_));
      tensor_core_multiply<0>();
      load_a<LayoutA>(word<LayoutA>(a, static_cast<int>(k), row_ + TENSOR_CORE_TILE));
      tensor_core_multiply<1>();
    }
  }
#else
  template <class LayoutA, class LayoutB, unsigned words = kTileWords>
  __attribute__((always_inline)) void multiply(unsigned a, unsigned b) const {
    a += row_ / 8 * LayoutA::kEight + lane_ * kWordBytes;
    b += column_ / 8 * LayoutB::kEight + lane_ * kWordBytes;
    if constexpr (kTileM > LayoutA::kPanelRows) a += row_ / LayoutA::kPanelRows * kSkip<LayoutA>;
    if constexpr (kTileN > LayoutB::kPanelRows) b += column_ / LayoutB::kPanelRows * kSkip<LayoutB>;
    unsigned at_a = 0, at_b = 0;
#pragma GCC unroll 4
    for (unsigned step = 0; step < words / TENSOR_CORE_TILE; ++step) {
      at_a = simt_opaque(at_a);
      at_b = simt_opaque(at_b);
      load_b<LayoutB>(b + at_b);
      load_a<LayoutA>(a + at_a);
      tensor_core_multiply<0>();
      load_a<LayoutA>(a + at_a + LayoutA::kEight);
      tensor_core_multiply<1>();
      at_a += LayoutA::kStep;
      at_b += LayoutB::kStep;
    }
  }
#endif

  // 16 stores from registers to the row-major matrix whose tile begins at `c`. A store touches four
  // rows and two words in each: little to coalesce.
  __attribute__((always_inline)) void store(unsigned c, unsigned row_bytes) const {
    c += (row_ + tensor_core_row(lane_)) * row_bytes + (column_ + tensor_core_column(lane_)) * kWordBytes;
    tensor_core_store<0>(c, 2 * row_bytes);
    tensor_core_store<1>(c + 8 * row_bytes, 2 * row_bytes);
  }

#ifdef GEMM_EPILOGUE
  // The same with an epilogue: by way of shared memory at `room`, a quarter that all warps have read, so that a lane
  // has a column of the part. `tile_row`, `tile_column`: of C.
  __attribute__((always_inline)) void finish(volatile const GemmArguments& arguments, unsigned room,
                                             unsigned ldc, unsigned tile_row, unsigned tile_column) const {
    static_assert(kTileM * kTileN * kWordBytes <= kQuarterBytes, "C has the room of a tile of A");
    const unsigned strip = room + (row_ * kTileN + column_ * kPartRows) * kWordBytes;
    const unsigned own = strip + tensor_core_row(lane_) * kStripRow + tensor_core_column(lane_) * kWordBytes;
    tensor_core_store<0>(own, 2 * kStripRow);
    tensor_core_store<1>(own + 8 * kStripRow, 2 * kStripRow);
    simt_fence();
    finish_column<kPartRows, kStripRow>(arguments, strip + lane_ * kWordBytes, ldc, tile_row + row_,
                                        tile_column + column_ + lane_);
  }
#endif

  // Where the part begins in the tile.
  unsigned row() const { return row_; }
  unsigned column() const { return column_; }

 protected:
#ifdef GEMM_EPILOGUE
  static constexpr unsigned kStripRow = kPartColumns * kWordBytes;
#endif

#ifdef GEMM_PUBLISHED
#define LOAD(to, words) \
  __asm__ volatile("flw " to ", %1(%0)" ::"r"(address), "i"((words) * Layout::kWord) : "memory", to)
  template <class Layout>
  __attribute__((always_inline)) static void load_a(const volatile float* address) {
    constexpr unsigned kPassed =
        Layout::kFar ? 4 : 0;  // words that the address moves on behind the first four
    LOAD("f0", 0);
    LOAD("f1", 1);
    LOAD("f2", 2);
    LOAD("f3", 3);
    address += kPassed * (Layout::kWord / kWordBytes);
    LOAD("f4", 4 - kPassed);
    LOAD("f5", 5 - kPassed);
    LOAD("f6", 6 - kPassed);
    LOAD("f7", 7 - kPassed);
  }
  template <class Layout>
  __attribute__((always_inline)) static void load_b(const volatile float* address) {
    constexpr unsigned kPassed = 7 * Layout::kWord >= 2048 ? 4 : 0;
    LOAD("f8", 0);
    LOAD("f9", 1);
    LOAD("f10", 2);
    LOAD("f11", 3);
    address += kPassed * (Layout::kWord / kWordBytes);
    LOAD("f12", 4 - kPassed);
    LOAD("f13", 5 - kPassed);
    LOAD("f14", 6 - kPassed);
    LOAD("f15", 7 - kPassed);
  }
#undef LOAD
  // The lane's word at word `k` of k, of eight rows of A (columns of B) from `first` on.
  template <class Layout>
  __attribute__((always_inline)) const volatile float* word(unsigned tile, int k, unsigned first) const {
    static_assert(Layout::kPanel == 0, "as published, tiles have no panels");
    return &reinterpret_cast<const volatile float*>(
        tile)[k * static_cast<int>(Layout::kStep / kWordBytes / 8) +
              first / 8 * (Layout::kEight / kWordBytes) + lane_];
  }
#else
  template <class Layout>
  __attribute__((always_inline)) static void load_a(unsigned address) {
    if constexpr (Layout::kFar) tensor_core_load_a_far<Layout::kWord>(address);
    else tensor_core_load_a<Layout::kWord>(address);
  }
  template <class Layout>
  __attribute__((always_inline)) static void load_b(unsigned address) {
    if constexpr (7 * Layout::kWord >= 2048) tensor_core_load_b_far<Layout::kWord>(address);
    else tensor_core_load_b<Layout::kWord>(address);
  }
#endif
  // Behind the last row of a panel, where the next panel begins; may be negative.
  template <class Layout>
  static constexpr unsigned kSkip = Layout::kPanel - Layout::kPanelRows / 8 * Layout::kEight;

  unsigned lane_, row_, column_;
};

// Warps of a core that take part.
static inline unsigned used_warps() { return kUsedWarps == MACHINE_WARPS ? simt_warps() : kUsedWarps; }

// True when the machine has a warp for each part of the tile, in each group; if not, core 0 prints a message.
static inline bool warp_tiles_fit() {
  constexpr unsigned kNeeded = kGroups * kThreads / kUsedWarps * MACHINE_WARPS;
  if (simt_lanes() == kWarpThreads && spawn_threads() == kNeeded) return true;
  if (simt_core() == 0)
    printf("%u threads in warps of %u, needed are %u in warps of %u\n", spawn_threads(), simt_lanes(),
           kNeeded, kWarpThreads);
  return false;
}
