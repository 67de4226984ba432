// SPDX-License-Identifier: Apache-2.0
// C = A * B with the decoupled tensor cores next to the SIMT cores and the matrix unit's DMA (Hopper
// style). FP16 operands, FP32 C; output tiles of 128 x 64 in k blocks of 128, 16 x 16 of a tile per
// warp, 4 cores of 8 warps.
//
// Shows: thread 0 starts the load of block t + 1 before the warps multiply block t and polls the
// unit afterwards (gemm_common/block_loads.h); two barriers per k block. A warp starts four
// multiplications per block, one for each 32 of k. A lies in quarters 0 or 1 of shared memory, B ends with
// 2 or 3, so that the four streams are in four banks.
//
// The DMA leaves a tile as blocks of 16 x 16, row by row; the tensor core reads blocks of two rows of
// A, or two columns of B, with eight elements along k. So the operands come with their elements
// exchanged inside small squares; DMA and strides know nothing of it:
//   A  in squares of 16 x 16: row r, column e have the element of row 2 (r % 8) + e / 8, column
//      8 (r / 8) + e % 8. Two blocks side by side are then the 1 KB tile of 16 rows and 32 of k.
//   B  in squares of 32 x 32: row 16 q + r, column 16 h + e have the element of row
//      16 h + 8 (r / 8) + e % 8, column 16 q + 2 (r % 8) + e / 8. Two blocks side by side, of which
//      the upper pair (q = 0) is the left 16 columns, are the 1 KB tile of 32 of k and 16 columns.
//
// C leaves as it is in the registers, each store of a warp 32 bytes of memory in one piece: tiles of
// 16 x 16, in sequence, each 16 rows of 16 words; register r of lane l in row r % 16, word
// r / 16 * 8 + l.
//
// With GEMM_EPILOGUE elements of C become what gemm_common/epilogue.h says, row-major, by way of the buffer that was
// multiplied last.
//
// Arguments: gemm_common/gemm_arguments.h; A and B FP16 and C FP32 as above; m and k multiples of 128, n of 64. Prints
// "cycles: N" and marks: from the first load to the moment the last result is in memory, with PUBLISHED_REGION from the
// configuration to the last store, which is not waited for. Exit code 2: sizes, or a machine without 256 threads in
// warps of 8.
#include <decoupled_tensor_core.h>
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/timed_region.h"

GEMM_ARGUMENTS(arguments);

#include "sw/kernels/gemm_common/block_loads.h"
#ifdef GEMM_EPILOGUE
#include "sw/kernels/gemm_common/epilogue.h"
#endif

constexpr unsigned kTileM = 128, kTileN = 64, kTileK = 128;
GEMM_TILE(kTileM, kTileN, kTileK);
constexpr unsigned kPart = DECOUPLED_TENSOR_TILE;  // rows and columns of a warp
constexpr unsigned kStepK = 32;  // of k in one instruction
constexpr unsigned kWarpThreads = 8;
constexpr unsigned kThreads = kTileM / kPart * (kTileN / kPart) * kWarpThreads;
constexpr unsigned kHalfBytes = 2, kFloatBytes = 4;

// Shared memory, by buffer: where the tiles begin.
constexpr unsigned kQuarterBytes = PLATFORM_SHARED_SIZE / 4;
static inline unsigned shared_a(unsigned buffer) { return PLATFORM_SHARED_BASE + buffer * kQuarterBytes; }
static inline unsigned shared_b(unsigned buffer) {
  return PLATFORM_SHARED_BASE + (3 + buffer) * kQuarterBytes - kTileK * kTileN * kHalfBytes;
}

// The DMA's blocks of 16 x 16: their bytes, and how many lie side by side in A and in B.
constexpr unsigned kBlock = 16, kBlockBytes = kBlock * kBlock * kHalfBytes;
constexpr unsigned kBlocksA = kTileK / kBlock, kBlocksB = kTileN / kBlock;

// Operand tiles of the part that begins in this row (column) of the output tile, for the first step.
static inline unsigned tile_a(unsigned row) { return row / kPart * kBlocksA * kBlockBytes; }
static inline unsigned tile_b(unsigned column) {
  const unsigned part = column / kPart;
  return (part % 2 * kBlocksB + part / 2 * 2) * kBlockBytes;
}
constexpr unsigned kStepA = DECOUPLED_TENSOR_TILE_BYTES;
constexpr unsigned kStepB = kStepK / kBlock * kBlocksB * kBlockBytes;

using Loads = BlockLoads<kTileM, kTileN, kTileK>;

#ifdef GEMM_EPILOGUE
// A warp's part of C, from its registers to shared memory at `room`, row-major; there a lane has two columns. `row`,
// `column`: of C.
constexpr unsigned kPartRow = kPart * kFloatBytes, kPartBytes = kPart * kPartRow;
static_assert(kThreads / kWarpThreads * kPartBytes <= kQuarterBytes, "C has the room of a tile of A");
__attribute__((always_inline)) static inline void finish(unsigned room, unsigned warp, unsigned lane,
                                                         unsigned ldc, unsigned row, unsigned column) {
  const unsigned own = room + warp * kPartBytes;
  decoupled_tensor_store(
      own + decoupled_tensor_row(lane) * kPartRow + decoupled_tensor_column(lane) * kFloatBytes, kPartRow);
  simt_fence();
  for (unsigned at = lane; at < kPart; at += kWarpThreads)
    finish_column<kPart, kPartRow>(arguments, own + at * kFloatBytes, ldc, row, column + at);
}
#endif

static void kernel(unsigned thread, void*) {
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k;
  const unsigned c = static_cast<unsigned>(arguments.c);
  const Loads loads(static_cast<unsigned>(arguments.a), static_cast<unsigned>(arguments.b), m, n, k);
  const unsigned driver = thread == 0, warps = simt_warps();
  const unsigned warp = thread / kWarpThreads, lane = thread % kWarpThreads;
  const unsigned row = warp / (kTileN / kPart) * kPart, column = warp % (kTileN / kPart) * kPart;
  const unsigned part_a = tile_a(row), part_b = tile_b(column);
  unsigned buffer = 0;

  const unsigned begin = simt_cycle();
#ifdef PUBLISHED_REGION
  MARK_BEG();
#endif
  SIMT_IF(driver)
    loads.configure();
#ifndef PUBLISHED_REGION
    MARK_BEG();
#endif
    loads.first(0, 0);
  SIMT_END_IF
  simt_barrier(0, warps);
  for (unsigned i = 0; i < m; i += kTileM) {
    for (unsigned j = 0; j < n; j += kTileN) {
      decoupled_tensor_clear();
      for (unsigned at = 0; at < k; at += kTileK) {
        SIMT_IF(driver)
          loads.next(i, j, at, buffer ^ 1);
        SIMT_END_IF
        simt_barrier(0, warps);
        unsigned at_a = shared_a(buffer) + part_a, at_b = shared_b(buffer) + part_b;
#pragma GCC unroll 4
        for (unsigned step = 0; step < kTileK / kStepK; ++step) {
          decoupled_tensor_multiply(at_a, at_b);
          at_a = simt_opaque(at_a + kStepA);
          at_b = simt_opaque(at_b + kStepB);
        }
        SIMT_IF(driver)
          loads.wait();
        SIMT_END_IF
        simt_barrier(0, warps);
        buffer ^= 1;
      }
      decoupled_tensor_wait();
#ifdef GEMM_EPILOGUE
      simt_barrier(0, warps);  // all warps have multiplied
      finish(shared_a(buffer ^ 1), warp, lane, n, i + row, j + column);
      simt_barrier(0, warps);  // before the next load into that buffer
#else
      const unsigned tile = (i + row) / kPart * (n / kPart) + (j + column) / kPart;
      decoupled_tensor_save(c + tile * kPart * kPart * kFloatBytes + lane * kFloatBytes);
#endif
    }
  }
#ifndef PUBLISHED_REGION
  simt_barrier(0, warps);  // it waits for the stores
#endif
  MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  SIMT_IF(driver)
    GEMM_PRINT_CYCLES(cycles);
  SIMT_END_IF
}

static bool threads_fit() {
  if (simt_lanes() == kWarpThreads && spawn_threads() == kThreads) return true;
  if (simt_core() == 0)
    printf("%u threads in warps of %u, needed are %u in warps of %u\n", spawn_threads(), simt_lanes(),
           kThreads, kWarpThreads);
  return false;
}

GEMM_MAIN(arguments) {
  if (!gemm_sizes_fit(arguments, kTileM, kTileN, kTileK) || !threads_fit()) return 2;
  spawn_tasks(kThreads, kernel, nullptr);
  return 0;
}
