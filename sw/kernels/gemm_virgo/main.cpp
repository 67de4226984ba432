// SPDX-License-Identifier: Apache-2.0
// C = A * B with the cluster's matrix unit, without DMA: the SIMT cores move all data. FP32, tiles
// of 64 x 64 x 64, revision v1.
//
// Shows: all hardware threads copy, one thread (thread 0 of core 0) drives the unit. A tiles lie in
// quarters 0 and 1 of shared memory, B tiles in quarters 2 and 3, in turn. Per k tile:
//   1. each thread copies its words of A and B, four loads before four stores, A and B in turn;
//   2. fence and barrier: the tiles are complete;
//   3. thread 0 starts the unit by RoCC commands and polls until it has ended (docs/deviations.md,
//      D60: overlapping the copy of the next tile would be another, faster kernel);
//   4. fence and barrier.
//
// At the end of an output tile the unit writes its accumulator to quarter 0, and each thread copies
// to global memory the words it will overwrite with the next tile of A, so no barrier is needed.
//
// The words of a tile in shared memory are numbered in the unit's order, blocks of 8 x 8 in rows of
// blocks; thread t takes words t, t + threads, ... The lanes of a warp have one row of a block: 32
// bytes in a line of global memory (one coalesced access) and eight words of shared memory that are
// their own (one access without conflict).
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major, sizes multiples of 64. Prints
// "cycles: N": from the first tile to the moment the last result is in global memory. Exit code 2:
// sizes, or a machine without 8 lanes and 64, 128, 256 or 512 threads.
#include <matrix_unit.h>
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"

GEMM_ARGUMENTS(arguments);

constexpr unsigned kUnit = 0;
constexpr unsigned kTile = 64;
constexpr unsigned kDim = MATRIX_UNIT_DIM;
constexpr unsigned kBlocks = kTile / kDim;
constexpr unsigned kTileWords = kTile * kTile;
constexpr unsigned kQuarterRows = kTileWords / kDim;  // of scratchpad
constexpr unsigned kWordsAtOnce = 4;                  // loaded before they are stored

static inline volatile float* shared_word(unsigned quarter, unsigned word) {
  return reinterpret_cast<volatile float*>(PLATFORM_SHARED_BASE) + quarter * kTileWords + word;
}

// Which words of a tile a thread has. `threads` is a template argument so that all offsets but the
// row length of the matrix are constants.
template <unsigned threads>
struct Share {
  static constexpr unsigned kWords = kTileWords / threads;
  static constexpr unsigned kColumns = threads / kDim;  // matrix columns all threads cover at once
  // Offset in a row-major matrix of word i of the thread against its word 0.
  static unsigned offset(unsigned i, unsigned row_length) {
    const unsigned column = i * kColumns;
    return column / kTile * kDim * row_length + column % kTile;
  }
  // Offset of word 0.
  static unsigned first(unsigned thread, unsigned row_length) {
    return thread / kDim % kDim * row_length + thread / (kDim * kDim) * kDim + thread % kDim;
  }

  // Words i.. of the thread to shared memory: of A and B in turn, kWordsAtOnce of each.
  template <unsigned i = 0>
  static void load(volatile float* shared_a, volatile float* shared_b, const volatile float* a,
                   unsigned a_row, const volatile float* b, unsigned b_row) {
    to_shared<i>(shared_a, a, a_row);
    to_shared<i>(shared_b, b, b_row);
    if constexpr (i + kWordsAtOnce < kWords)
      load<i + kWordsAtOnce>(shared_a, shared_b, a, a_row, b, b_row);
  }
  // Words i.. of the thread to global memory.
  template <unsigned i = 0>
  static void store(volatile float* c, unsigned c_row, const volatile float* shared) {
    const float v0 = shared[i * threads], v1 = shared[(i + 1) * threads];
    const float v2 = shared[(i + 2) * threads], v3 = shared[(i + 3) * threads];
    c[offset(i, c_row)] = v0;
    c[offset(i + 1, c_row)] = v1;
    c[offset(i + 2, c_row)] = v2;
    c[offset(i + 3, c_row)] = v3;
    if constexpr (i + kWordsAtOnce < kWords) store<i + kWordsAtOnce>(c, c_row, shared);
  }

 private:
  template <unsigned i>
  static void to_shared(volatile float* shared, const volatile float* matrix, unsigned row) {
    const float v0 = matrix[offset(i, row)], v1 = matrix[offset(i + 1, row)];
    const float v2 = matrix[offset(i + 2, row)], v3 = matrix[offset(i + 3, row)];
    shared[i * threads] = v0;
    shared[(i + 1) * threads] = v1;
    shared[(i + 2) * threads] = v2;
    shared[(i + 3) * threads] = v3;
  }
};

// The driver's part of k tile `tile`.
static inline void compute(unsigned tile) {
  const unsigned odd = tile & 1;
  matrix_unit_loop_bounds(kUnit, kBlocks, kBlocks, kBlocks);
  matrix_unit_loop_spad_ab(kUnit, odd * kQuarterRows, (3 + odd) * kQuarterRows);
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_EXECUTE_MMIO, tile != 0, 0);
  matrix_unit_fence(kUnit);
}

// The driver's part at the end of an output tile: the accumulator to quarter 0.
static inline void store_accumulator() {
  matrix_unit_fence(kUnit);
  matrix_unit_loop_bounds(kUnit, kBlocks, kBlocks, kBlocks);
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_SPAD, 0, 0);
  matrix_unit_fence(kUnit);
}

template <unsigned threads>
static void multiply() {
  using Words = Share<threads>;
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k;
  const unsigned thread = simt_hart(), warps = simt_warps();
  const unsigned driver = thread == 0;
  const auto* const a =
      ARGUMENT_POINTER(const volatile float, arguments.a) + Words::first(thread, k);
  const auto* const b =
      ARGUMENT_POINTER(const volatile float, arguments.b) + Words::first(thread, n);
  auto* const c = ARGUMENT_POINTER(volatile float, arguments.c) + Words::first(thread, n);

  for (unsigned i = 0; i < m; i += kTile) {
    for (unsigned j = 0; j < n; j += kTile) {
      for (unsigned tile = 0; tile < k / kTile; ++tile) {
        const unsigned odd = tile & 1;
        Words::load(shared_word(odd, thread), shared_word(2 + odd, thread),
                    a + i * k + tile * kTile, k, b + tile * kTile * n + j, n);
        simt_barrier(0, warps);
        SIMT_IF(driver)
          compute(tile);
        SIMT_END_IF
        simt_barrier(0, warps);
      }
      SIMT_IF(driver)
        store_accumulator();
      SIMT_END_IF
      simt_barrier(0, warps);
      Words::store(c + i * n + j, n, shared_word(0, thread));
    }
  }
}

static void kernel(unsigned, void*) {
  const unsigned driver = simt_hart() == 0, warps = simt_warps();
  SIMT_IF(driver)
    matrix_unit_config_execute(kUnit);
    matrix_unit_config_load(kUnit, 0, 0);
    matrix_unit_config_store(kUnit, 0);
    matrix_unit_fence(kUnit);
  SIMT_END_IF
  simt_barrier(0, warps);

  const unsigned begin = simt_cycle();
  MARK_BEG();
  switch (spawn_threads()) {
    case 64:
      multiply<64>();
      break;
    case 128:
      multiply<128>();
      break;
    case 256:
      multiply<256>();
      break;
    default:
      multiply<512>();
      break;
  }
  simt_barrier(0, warps);
  MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  SIMT_IF(driver)
    printf("cycles: %u\n", cycles);
  SIMT_END_IF
  simt_barrier(0, warps);
  exit(0);  // every warp ends here, as in the published kernels
}

int main() {
  const unsigned threads = spawn_threads();
  if (!gemm_sizes_fit(arguments, kTile)) return 2;
  if (simt_lanes() != kDim ||
      (threads != 64 && threads != 128 && threads != 256 && threads != 512)) {
    if (simt_core() == 0)
      printf("%u threads in warps of %u, needed are 64, 128, 256 or 512 in warps of %u\n", threads,
             simt_lanes(), kDim);
    return 2;
  }
  spawn_tasks(threads, kernel, nullptr);
  return 0;
}
