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
// The words of a tile in shared memory are numbered in the unit's order, blocks of DIM rows of DIM
// elements in rows of blocks; thread t takes words t, t + threads, ... With eight lanes and an array of eight FP32
// columns the lanes of a warp have one row of a block: 32 bytes in a line of global memory (one coalesced access) and
// eight words of shared memory that are their own (one access without conflict).
//
// With GEMM_EPILOGUE the words are elements, FP32 or with GEMM_INT_SUMS of 32 bits, and become what
// gemm_common/epilogue.h says on that way.
//
// Any number of lanes, warps and cores (gemm_common/machine.h); threads beyond the largest power of two, and beyond a
// word of each tile, are not used.
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major, sizes multiples of the tile. Prints
// "cycles: N": from the first tile to the moment the last result is in global memory. Exit code 2:
// sizes, or another machine than it was compiled for.
#include <matrix_unit.h>
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/gemm_strides.h"
#include "sw/kernels/gemm_common/machine.h"
#if defined(GEMM_EPILOGUE) && MATRIX_UNIT_ELEMENT_BYTES == 4  // a word is an element
#define GEMM_FINISHED
#include "sw/kernels/gemm_common/epilogue.h"
#endif

GEMM_ARGUMENTS(arguments);

#ifndef GEMM_TILE_M
#define GEMM_TILE_M 64
#define GEMM_TILE_N 64
#define GEMM_TILE_K 64
#endif
GEMM_TILE(GEMM_TILE_M, GEMM_TILE_N, GEMM_TILE_K);

#ifdef GEMM_SERIAL
constexpr bool kSerial = true;
#else
constexpr bool kSerial = false;
#endif
constexpr unsigned kUnit = 0;
constexpr unsigned kTileM = GEMM_TILE_M, kTileN = GEMM_TILE_N, kTileK = GEMM_TILE_K;
constexpr unsigned kDim = MATRIX_UNIT_DIM;
constexpr unsigned kPacked = 4 / MATRIX_UNIT_ELEMENT_BYTES;  // elements of a word
constexpr unsigned kRowWords = kDim / kPacked;  // of a row of a block
constexpr unsigned kQuarterWords = PLATFORM_SHARED_SIZE / 16;
constexpr unsigned kQuarterRows = kQuarterWords / kRowWords;  // of scratchpad
constexpr unsigned kWordsA = kTileM * kTileK / kPacked, kWordsB = kTileK * kTileN / kPacked,
                   kWordsC = kTileM * kTileN / kPacked;

#ifdef GEMM_FINISHED
using Sum = StoredSum;
using Result = Epilogue::Output;
#else
using Result = float;  // words
#endif

constexpr unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }
constexpr unsigned kAllThreads = MACHINE_CORES * MACHINE_WARPS * MACHINE_LANES;
constexpr unsigned kThreads =  // that copy
    power_of_two_up_to(least(kAllThreads, least(kWordsA, least(kWordsB, kWordsC))));
constexpr unsigned kUsedWarps = kThreads / (MACHINE_CORES * MACHINE_LANES);  // of a core
static_assert(kUsedWarps * MACHINE_CORES * MACHINE_LANES == kThreads,
              "a power of two of cluster.cores, with fewer lanes than a tile has words");

static inline volatile float* shared_word(unsigned quarter, unsigned word) {
  return reinterpret_cast<volatile float*>(PLATFORM_SHARED_BASE) + quarter * kQuarterWords + word;
}

// Which words of a tile of `rows` rows of `row_words` words a thread has. All but the row length of the matrix are
// constants.
template <unsigned rows, unsigned row_words>
struct Share {
  static constexpr unsigned kWords = rows * row_words / kThreads;
  static constexpr unsigned kAtOnce = least(kWords, 4);  // loaded before they are stored
  static constexpr unsigned kBlockWords = kDim * kRowWords, kBlocks = row_words / kRowWords;
  // Offset in a row-major matrix of word i of the thread against its word 0. The numbers of threads and of words in
  // rows and blocks are powers of two, so offsets of i and of the thread add up.
  static unsigned offset(unsigned i, unsigned row_length) {
    const unsigned word = i * kThreads, block = word / kBlockWords;
    return (block / kBlocks * kDim + word / kRowWords % kDim) * row_length + block % kBlocks * kRowWords +
           word % kRowWords;
  }
  // Offset of word 0.
  static unsigned first(unsigned thread, unsigned row_length) {
    const unsigned in_row =
        thread / kRowWords % kDim * row_length + thread / kBlockWords * kRowWords + thread % kRowWords;
    if constexpr (kThreads <= kBlockWords * kBlocks) return in_row;
    const unsigned down = thread / (kBlockWords * kBlocks);
    return in_row + down * (kDim * row_length - kBlocks * kRowWords);
  }

  // Words i.. of the thread to global memory.
  template <unsigned i = 0>
  static void store(volatile float* c, unsigned c_row, const volatile float* shared) {
    c_row = simt_opaque(c_row);
    float words[kAtOnce];
#pragma GCC unroll 4
    for (unsigned w = 0; w < kAtOnce; ++w) words[w] = shared[(i + w) * kThreads];
#pragma GCC unroll 4
    for (unsigned w = 0; w < kAtOnce; ++w) c[offset(i + w, c_row)] = words[w];
    if constexpr (i + kAtOnce < kWords) store<i + kAtOnce>(c, c_row, shared);
  }

#ifdef GEMM_FINISHED
  // Elements i.. of the thread; `column`: of C, of its element 0.
  template <unsigned i = 0>
  static void finish(const Epilogue& epilogue, volatile Result* c, unsigned c_row, unsigned column,
                     const volatile Sum* shared) {
    c_row = simt_opaque(c_row);
    Sum sums[kAtOnce];
#pragma GCC unroll 4
    for (unsigned w = 0; w < kAtOnce; ++w) sums[w] = shared[(i + w) * kThreads];
#pragma GCC unroll 4
    for (unsigned w = 0; w < kAtOnce; ++w)
      c[offset(i + w, c_row)] = epilogue.of(sums[w], epilogue.bias_of(column + offset(i + w, 0)));
    if constexpr (i + kAtOnce < kWords) finish<i + kAtOnce>(epilogue, c, c_row, column, shared);
  }
#endif

  // Words i to i + 3 of the thread to shared memory.
  template <unsigned i>
  static void to_shared(volatile float* shared, const volatile float* matrix, unsigned row) {
    row = simt_opaque(row);  // else all multiples of it are kept, more than there are registers
    float words[kAtOnce];
#pragma GCC unroll 4
    for (unsigned w = 0; w < kAtOnce; ++w) words[w] = matrix[offset(i + w, row)];
#pragma GCC unroll 4
    for (unsigned w = 0; w < kAtOnce; ++w) shared[(i + w) * kThreads] = words[w];
  }
};

// Words i.. of the thread of A and of B to shared memory: four of each in turn, while there are.
template <class ShareA, class ShareB, unsigned i = 0>
static inline void load(volatile float* shared_a, volatile float* shared_b, const volatile float* a,
                        unsigned a_row, const volatile float* b, unsigned b_row) {
  if constexpr (i < ShareA::kWords) ShareA::template to_shared<i>(shared_a, a, a_row);
  if constexpr (i < ShareB::kWords) ShareB::template to_shared<i>(shared_b, b, b_row);
  constexpr unsigned kNext = i + (ShareA::kAtOnce < ShareB::kAtOnce ? ShareB::kAtOnce : ShareA::kAtOnce);
  if constexpr (kNext < ShareA::kWords || kNext < ShareB::kWords)
    load<ShareA, ShareB, kNext>(shared_a, shared_b, a, a_row, b, b_row);
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

// A function of its own: what its caller keeps would take registers in its inner loop.
__attribute__((noinline)) static void multiply(unsigned thread) {
  using ShareA = Share<kTileM, kTileK / kPacked>;
  using ShareB = Share<kTileK, kTileN / kPacked>;
  using ShareC = Share<kTileM, kTileN / kPacked>;
  // Row lengths in words.
  const unsigned m = arguments.m, n = arguments.n / kPacked, k = arguments.k / kPacked;
  const unsigned a_row = gemm_lda(arguments, k * kPacked) / kPacked;
  const unsigned b_row = gemm_ldb(arguments, n * kPacked) / kPacked;
  const unsigned c_row = gemm_ldc(arguments, n * kPacked) / kPacked;
  const unsigned driver = thread == 0;
  const auto* const a = ARGUMENT_POINTER(const volatile float, arguments.a) + ShareA::first(thread, a_row);
  const auto* const b = ARGUMENT_POINTER(const volatile float, arguments.b) + ShareB::first(thread, b_row);
  auto* const c = ARGUMENT_POINTER(volatile Result, arguments.c) + ShareC::first(thread, c_row);

  simt_units(m, kTileM);
  simt_units(n, kTileN / kPacked);
  for (unsigned i = 0; i < m; i += kTileM) {
    for (unsigned j = 0; j < n; j += kTileN / kPacked) {
      i = simt_unit(i, kTileM);
      j = simt_unit(j, kTileN / kPacked);
      for (unsigned tile = 0; tile < k / (kTileK / kPacked); ++tile) {
        const unsigned odd = tile & 1;
        load<ShareA, ShareB>(shared_word(odd, thread), shared_word(2 + odd, kQuarterWords - kWordsB + thread),
                             a + i * a_row + gemm_column_of_a(arguments, tile * kTileK) / kPacked, a_row,
                             b + tile * kTileK * b_row + j, b_row);
        if (!kSerial) {
          SIMT_IF(driver)
            matrix_unit_fence(kUnit);
          SIMT_END_IF
        }
        simt_barrier(0, kUsedWarps);
        SIMT_IF(driver)
          compute(tile);
        SIMT_END_IF
        if (kSerial) simt_barrier(0, kUsedWarps);
      }
      if (!kSerial) simt_barrier(0, kUsedWarps);
      SIMT_IF(driver)
        store_accumulator();
      SIMT_END_IF
      simt_barrier(0, kUsedWarps);
#ifdef GEMM_FINISHED
      ShareC::finish(Epilogue(arguments), c + i * c_row + j, c_row, ShareC::first(thread, 0) + j,
                     reinterpret_cast<const volatile Sum*>(shared_word(0, thread)));
#else
      ShareC::store(c + i * c_row + j, c_row, shared_word(0, thread));
#endif
    }
  }
}

static void kernel(unsigned id, void*) {
  const unsigned thread = kThreads == kAllThreads ? simt_hart() : id;
  const unsigned driver = thread == 0;
  SIMT_IF(driver)
    matrix_unit_config_execute(kUnit);
    matrix_unit_config_load(kUnit, 0, 0);
    matrix_unit_config_store(kUnit, 0);
    matrix_unit_fence(kUnit);
  SIMT_END_IF
  simt_barrier(0, kUsedWarps);

  const unsigned begin = simt_cycle();
  MARK_BEG();
  multiply(thread);
  simt_barrier(0, kUsedWarps);
  MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  SIMT_IF(driver)
    GEMM_PRINT_CYCLES(cycles);
  SIMT_END_IF
  simt_barrier(0, kUsedWarps);
  GEMM_EXIT();  // every warp ends here, as in the published kernels
}

GEMM_MAIN(arguments) {
  if (!gemm_sizes_fit(arguments, kTileM, kTileN, kTileK)) return 2;
  if (simt_lanes() != MACHINE_LANES || simt_warps() != MACHINE_WARPS || simt_cores() != MACHINE_CORES) {
    if (simt_core() == 0)
      printf("%u cores of %u warps of %u lanes, compiled for %u of %u of %u\n", simt_cores(), simt_warps(),
             simt_lanes(), MACHINE_CORES, MACHINE_WARPS, MACHINE_LANES);
    return 2;
  }
  spawn_tasks(kThreads, kernel, nullptr);
  return 0;
}
