// SPDX-License-Identifier: Apache-2.0
// C = A * B with the cluster's matrix unit, without DMA: the SIMT cores move all data. FP32, tiles
// of 64 x 64 x 64, revision v1; or, compiled for it, another tile and FP16 (DEFINES in
// sw/CMakeLists.txt, as for gemm_virgo_dma). Two FP16 elements make a word.
//
// Shows: all hardware threads copy, one thread (thread 0 of core 0) drives the unit. A tiles lie in
// quarters 0 and 1 of shared memory, B tiles in quarters 2 and 3, in turn. Per k tile:
//   1. each thread copies its words of A and B, four loads before four stores, A and B in turn;
//   2. thread 0 polls until the unit is through with the tile before;
//   3. fence and barrier: the tiles are complete, and the buffers of the tile before are free;
//   4. thread 0 starts the unit by RoCC commands. Nothing waits for it, so the next tile is copied
//      while this one is computed.
// With -DGEMM_SERIAL (gemm_virgo_serial) thread 0 polls right behind the start instead, with a second
// fence and barrier behind the poll: copy and computation of a tile take turns.
//
// At the end of an output tile the unit writes its accumulator to quarter 0, behind what it computes,
// and each thread copies to global memory the words it will overwrite with the next tile of A, so no
// barrier is needed.
//
// The words of a tile in shared memory are numbered in the unit's order, blocks of DIM rows of eight
// words in rows of blocks; thread t takes words t, t + threads, ... The lanes of a warp have one row
// of a block: 32 bytes in a line of global memory (one coalesced access) and eight words of shared
// memory that are their own (one access without conflict).
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major, sizes multiples of the tile. Prints
// "cycles: N": from the first tile to the moment the last result is in global memory. Exit code 2:
// sizes, or a machine without 8 lanes and 64 (FP32), 128, 256 or 512 threads.
#include <matrix_unit.h>
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"

GEMM_ARGUMENTS(arguments);

#ifndef GEMM_TILE_M
#define GEMM_TILE_M 64
#define GEMM_TILE_N 64
#define GEMM_TILE_K 64
#endif

#ifdef GEMM_SERIAL
constexpr bool kSerial = true;
#else
constexpr bool kSerial = false;
#endif
constexpr unsigned kUnit = 0;
constexpr unsigned kTileM = GEMM_TILE_M, kTileN = GEMM_TILE_N, kTileK = GEMM_TILE_K;
constexpr unsigned kDim = MATRIX_UNIT_DIM;
constexpr unsigned kPacked = 4 / MATRIX_UNIT_ELEMENT_BYTES;  // elements of a word
constexpr unsigned kRowWords = 8;                            // of a row of a block
constexpr unsigned kQuarterWords = PLATFORM_SHARED_SIZE / 16;
constexpr unsigned kQuarterRows = kQuarterWords / kRowWords;  // of scratchpad
constexpr unsigned kWordsB = kTileK * kTileN / kPacked;
constexpr unsigned kWordsAtOnce = 4;  // loaded before they are stored
static_assert(kDim / kPacked == kRowWords);

static inline volatile float* shared_word(unsigned quarter, unsigned word) {
  return reinterpret_cast<volatile float*>(PLATFORM_SHARED_BASE) + quarter * kQuarterWords + word;
}

// Which words of a tile of `rows` rows of `row_words` words a thread has. `threads` is a template
// argument so that all offsets but the row length of the matrix are constants.
template <unsigned threads, unsigned rows, unsigned row_words>
struct Share {
  static constexpr unsigned kWords = rows * row_words / threads;
  static constexpr unsigned kColumns = threads / kDim;  // words of a row all threads cover at once
  static_assert(kColumns % kRowWords == 0 && kWords % kWordsAtOnce == 0);
  // Offset in a row-major matrix of word i of the thread against its word 0.
  static unsigned offset(unsigned i, unsigned row_length) {
    const unsigned column = i * kColumns;
    return column / row_words * kDim * row_length + column % row_words;
  }
  // Offset of word 0.
  static unsigned first(unsigned thread, unsigned row_length) {
    return thread / kRowWords % kDim * row_length + thread / (kRowWords * kDim) * kRowWords +
           thread % kRowWords;
  }

  // Words i.. of the thread to global memory.
  template <unsigned i = 0>
  static void store(volatile float* c, unsigned c_row, const volatile float* shared) {
    c_row = simt_opaque(c_row);
    const float v0 = shared[i * threads], v1 = shared[(i + 1) * threads];
    const float v2 = shared[(i + 2) * threads], v3 = shared[(i + 3) * threads];
    c[offset(i, c_row)] = v0;
    c[offset(i + 1, c_row)] = v1;
    c[offset(i + 2, c_row)] = v2;
    c[offset(i + 3, c_row)] = v3;
    if constexpr (i + kWordsAtOnce < kWords) store<i + kWordsAtOnce>(c, c_row, shared);
  }

  // Words i to i + 3 of the thread to shared memory.
  template <unsigned i>
  static void to_shared(volatile float* shared, const volatile float* matrix, unsigned row) {
    row = simt_opaque(row);  // else all multiples of it are kept, more than there are registers
    const float v0 = matrix[offset(i, row)], v1 = matrix[offset(i + 1, row)];
    const float v2 = matrix[offset(i + 2, row)], v3 = matrix[offset(i + 3, row)];
    shared[i * threads] = v0;
    shared[(i + 1) * threads] = v1;
    shared[(i + 2) * threads] = v2;
    shared[(i + 3) * threads] = v3;
  }
};

// Words i.. of the thread of A and of B to shared memory: kWordsAtOnce of each in turn, while there are.
template <class ShareA, class ShareB, unsigned i = 0>
static inline void load(volatile float* shared_a, volatile float* shared_b, const volatile float* a,
                        unsigned a_row, const volatile float* b, unsigned b_row) {
  if constexpr (i < ShareA::kWords) ShareA::template to_shared<i>(shared_a, a, a_row);
  if constexpr (i < ShareB::kWords) ShareB::template to_shared<i>(shared_b, b, b_row);
  if constexpr (i < ShareA::kWords || i < ShareB::kWords)
    load<ShareA, ShareB, i + kWordsAtOnce>(shared_a, shared_b, a, a_row, b, b_row);
}

static inline void tile_bounds() {
  matrix_unit_loop_bounds(kUnit, kTileM / kDim, kTileN / kDim, kTileK / kDim);
}

// The driver's part of k tile `tile`.
static inline void compute(unsigned tile) {
  const unsigned odd = tile & 1;
  tile_bounds();
  matrix_unit_loop_spad_ab(kUnit, odd * kQuarterRows, (3 + odd) * kQuarterRows);
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_EXECUTE_MMIO, tile != 0, 0);
  if (kSerial) matrix_unit_fence(kUnit);
}

// The driver's part at the end of an output tile: the accumulator to quarter 0.
static inline void store_accumulator() {
  if (kSerial) matrix_unit_fence(kUnit);
  tile_bounds();
  matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_SPAD, 0, 0);
  matrix_unit_fence(kUnit);
}

template <unsigned threads>
static void multiply() {
  using ShareA = Share<threads, kTileM, kTileK / kPacked>;
  using ShareB = Share<threads, kTileK, kTileN / kPacked>;
  using ShareC = Share<threads, kTileM, kTileN / kPacked>;
  // Row lengths in words.
  const unsigned m = arguments.m, n = arguments.n / kPacked, k = arguments.k / kPacked;
  const unsigned thread = simt_hart(), warps = simt_warps();
  const unsigned driver = thread == 0;
  const auto* const a = ARGUMENT_POINTER(const volatile float, arguments.a) + ShareA::first(thread, k);
  const auto* const b = ARGUMENT_POINTER(const volatile float, arguments.b) + ShareB::first(thread, n);
  auto* const c = ARGUMENT_POINTER(volatile float, arguments.c) + ShareC::first(thread, n);

  for (unsigned i = 0; i < m; i += kTileM) {
    for (unsigned j = 0; j < n; j += kTileN / kPacked) {
      for (unsigned tile = 0; tile < k / (kTileK / kPacked); ++tile) {
        const unsigned odd = tile & 1;
        load<ShareA, ShareB>(shared_word(odd, thread), shared_word(2 + odd, kQuarterWords - kWordsB + thread),
                             a + i * k + tile * (kTileK / kPacked), k, b + tile * kTileK * n + j, n);
        if (!kSerial) {
          SIMT_IF(driver)
            matrix_unit_fence(kUnit);
          SIMT_END_IF
        }
        simt_barrier(0, warps);
        SIMT_IF(driver)
          compute(tile);
        SIMT_END_IF
        if (kSerial) simt_barrier(0, warps);
      }
      if (!kSerial) simt_barrier(0, warps);
      SIMT_IF(driver)
        store_accumulator();
      SIMT_END_IF
      simt_barrier(0, warps);
      ShareC::store(c + i * n + j, n, shared_word(0, thread));
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
      if constexpr (kDim == 8) multiply<64>();
      break;
    case 128: multiply<128>(); break;
    case 256: multiply<256>(); break;
    default: multiply<512>(); break;
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
  if (!gemm_sizes_fit(arguments, kTileM, kTileN, kTileK)) return 2;
  if (simt_lanes() != kRowWords ||
      ((threads != 64 || kDim != 8) && threads != 128 && threads != 256 && threads != 512)) {
    if (simt_core() == 0)
      printf(kDim == 8 ? "%u threads in warps of %u, needed are 64, 128, 256 or 512 in warps of %u\n"
                       : "%u threads in warps of %u, needed are 128, 256 or 512 in warps of %u\n",
             threads, simt_lanes(), kRowWords);
    return 2;
  }
  spawn_tasks(threads, kernel, nullptr);
  return 0;
}
