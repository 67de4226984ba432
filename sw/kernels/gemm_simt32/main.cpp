// SPDX-License-Identifier: Apache-2.0
// C = A * B by the lanes of a streaming multiprocessor alone: FP32, no tensor core.
//
// Shows: the product that CUDA cores do. All threads of the cluster share a block of C: each has 4x4 sums in registers,
// and takes 4 words of A and 4 of B from shared memory for 16 fused multiply-adds. Shared memory has two buffers: while
// the threads multiply one tile of k, they load the next one from global memory into registers, and store it to the
// other buffer before the barrier. Each sum is one chain of fused multiply-adds along k.
//
// Tiles    a block of 128x256, 16 of k; a warp has 16x32 of it, a lane rows and columns that are 4 and 8 apart, so that
//          the words of a load are neighbours and lanes share them
// Shared   A k by k, with rows of 128 elements and 2 more (a store of a warp goes to 32 banks); B row by row
//
// With GEMM_EPILOGUE elements of C become what gemm_common/epilogue.h says before they leave the registers.
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major FP32; sizes are multiples of the tile.
// Prints "cycles: N": from the start to the moment all cores are done. Runs on 4 cores of 16 warps of 32 lanes.
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

#include "sw/kernels/gemm_common/epilogue.h"
#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/gemm_strides.h"

GEMM_ARGUMENTS(arguments);

namespace {

constexpr unsigned kLanes = 32, kThreads = 2048;
constexpr unsigned kBlockM = 128, kBlockN = 256, kBlockK = 16;
GEMM_TILE(kBlockM, kBlockN, kBlockK);
constexpr unsigned kSums = 4;  // of a thread, squared
constexpr unsigned kLaneRows = 4, kLaneColumns = 8;  // lanes of a warp
constexpr unsigned kWarpM = kSums * kLaneRows, kWarpN = kSums * kLaneColumns;
constexpr unsigned kWarpsN = kBlockN / kWarpN;
static_assert(kBlockM / kWarpM * kWarpsN * kLanes == kThreads, "each thread has its part of the block");
constexpr unsigned kStrideA = kBlockM + 2, kBufferA = kBlockK * kStrideA, kBufferB = kBlockK * kBlockN;
constexpr unsigned kBuffer = kBufferA + kBufferB;  // words
constexpr unsigned kMovedA = kBlockM * kBlockK / kThreads,
                   kMovedB = kBlockN * kBlockK / kThreads;  // of a thread
static_assert(kMovedA == 1 && kMovedB == 2, "what a thread moves of a tile");

#define UNROLLED _Pragma("GCC unroll 16")

struct Product {
  unsigned m, n, k;
  const uint32_t *a, *b;
  Epilogue::Output* c;
};

/// What a thread moves of a tile of k: words, so that they take no registers of sums.
struct Moved {
  uint32_t a, b[kMovedB];
};

SIMT_INLINE void load(Moved& moved, const uint32_t* a, const uint32_t* b, unsigned ldb) {
  moved.a = *a;
  moved.b[0] = b[0];
  moved.b[1] = b[kThreads / kBlockN * ldb];
}

SIMT_INLINE void store(const Moved& moved, uint32_t* a, uint32_t* b) {
  *a = moved.a;
  b[0] = moved.b[0];
  b[kThreads] = moved.b[1];
}

/// What follows a step begins behind it: clang would load the words of all steps first, and keep them on the stack.
SIMT_INLINE void end_step(float (&sums)[kSums][kSums]) {
  UNROLLED
  for (unsigned r = 0; r < kSums; ++r) UNROLLED
  for (unsigned c = 0; c < kSums; ++c) __asm__ volatile("" : "+f"(sums[r][c]));
}
SIMT_INLINE const float* next(const float* at, unsigned words) {
  return reinterpret_cast<const float*>(simt_opaque(reinterpret_cast<uintptr_t>(at + words)));
}

void block(const Product& p, unsigned thread, unsigned block_row, unsigned block_column) {
  auto* const shared = reinterpret_cast<uint32_t*>(PLATFORM_SHARED_BASE);
  const unsigned lane = thread % kLanes, warp = thread / kLanes;
  const unsigned row = warp / kWarpsN * kWarpM + lane / kLaneColumns;
  const unsigned column = warp % kWarpsN * kWarpN + lane % kLaneColumns;
  const unsigned lda = gemm_lda(arguments, p.k), ldb = gemm_ldb(arguments, p.n),
                 ldc = gemm_ldc(arguments, p.n);
  // Of what it moves: a word of row thread / 16 of A, and words of rows thread / 256 and 8 more of B.
  const uint32_t* a = p.a + (block_row + thread / kBlockK) * lda + thread % kBlockK;
  const uint32_t* b = p.b + thread / kBlockN * ldb + block_column + thread % kBlockN;
  uint32_t* const to_a = shared + thread % kBlockK * kStrideA + thread / kBlockK;
  uint32_t* const to_b = shared + kBufferA + thread;
  const auto* const from_a = reinterpret_cast<const float*>(shared + row);
  const auto* const from_b = reinterpret_cast<const float*>(shared + kBufferA + column);

#ifdef GEMM_STRIDED
  const uint32_t* const row_of_a = a;
  a += gemm_column_of_a(arguments, 0);
#endif
  Moved moved;
  load(moved, a, b, ldb);
  store(moved, to_a, to_b);
  simt_barrier(0, simt_warps());
  float sums[kSums][kSums] = {};
  unsigned buffer = 0;
  for (unsigned k = 0; k < p.k; k += kBlockK) {
    const bool more = k + kBlockK < p.k;
    if (more) {
#ifdef GEMM_STRIDED
      a = row_of_a + gemm_column_of_a(arguments, k + kBlockK);
#else
      a += kBlockK;
#endif
      b += kBlockK * ldb;
      load(moved, a, b, ldb);
    }
    const float *left_at = from_a + buffer, *right_at = from_b + buffer;
    UNROLLED
    for (unsigned i = 0; i < kBlockK; ++i) {
      float left[kSums], right[kSums];
      UNROLLED
      for (unsigned r = 0; r < kSums; ++r) left[r] = left_at[r * kLaneRows];
      UNROLLED
      for (unsigned c = 0; c < kSums; ++c) right[c] = right_at[c * kLaneColumns];
      UNROLLED
      for (unsigned r = 0; r < kSums; ++r) UNROLLED
      for (unsigned c = 0; c < kSums; ++c) sums[r][c] = __builtin_fmaf(left[r], right[c], sums[r][c]);
      end_step(sums);
      left_at = next(left_at, kStrideA);
      right_at = next(right_at, kBlockN);
    }
    buffer = kBuffer - buffer;
    if (more) store(moved, to_a + buffer, to_b + buffer);
    simt_barrier(0, simt_warps());
  }
  Epilogue::Output* const c = p.c + (block_row + row) * ldc + block_column + column;
  const Epilogue epilogue(arguments);
  float bias[kSums];
  UNROLLED
  for (unsigned s = 0; s < kSums; ++s) bias[s] = epilogue.bias_of(block_column + column + s * kLaneColumns);
  UNROLLED
  for (unsigned r = 0; r < kSums; ++r) UNROLLED
  for (unsigned s = 0; s < kSums; ++s)
    c[r * kLaneRows * ldc + s * kLaneColumns] = epilogue.of(sums[r][s], bias[s]);
}

void task(unsigned thread, void* argument) {
  const auto& p = *static_cast<const Product*>(argument);
  for (unsigned row = 0; row < p.m; row += kBlockM)
    for (unsigned column = 0; column < p.n; column += kBlockN) block(p, thread, row, column);
}

}  // namespace

GEMM_MAIN(arguments) {
  if (spawn_threads() != kThreads) {
    if (simt_core() == 0) printf("needs %u threads\n", kThreads);
    return 1;
  }
  if (!gemm_sizes_fit(arguments, kBlockM, kBlockN, kBlockK)) return 1;
  Product product = {arguments.m,
                     arguments.n,
                     arguments.k,
                     ARGUMENT_POINTER(uint32_t, arguments.a),
                     ARGUMENT_POINTER(uint32_t, arguments.b),
                     ARGUMENT_POINTER(Epilogue::Output, arguments.c)};
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(kThreads, task, &product);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  MARK_END();
  GEMM_PRINT_CYCLES(simt_cycle() - begin);
  return 0;
}
