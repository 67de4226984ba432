// SPDX-License-Identifier: Apache-2.0
// C = A * B with the tensor cores inside the SIMT cores, without DMA (Volta style). 16 x 8 of a
// tile per warp. FP32 (gemm_tc) or FP16 with FP32 sums (gemm_fp16_volta); gemm_common/tile_shape.h
// has the tiles.
//
// Shows: per k block every thread copies 16 words of A and 16 (FP16: 8) of B from global to shared
// memory through registers, eight loads before eight stores; fence and barrier; 16 multiplications
// per warp; fence and barrier. Nothing overlaps but what different warps do.
//
// Operand loads are without conflict when the words that the lanes load lie side by side: rows of A
// and columns of B. B has a row of words for each word of k and can stay as it is. A is transposed
// on the way: the loads from global memory are coalesced (eight words of a row), the stores of the
// lanes lie 64 words apart, so seven of eight wait for the one unaligned path of the cluster.
//
// With -DGEMM_PUBLISHED (gemm_fp16_volta_published, FP16 only) A comes column-major, words of two elements of a row, and
// is not transposed. Copy and inner loop have the instructions of the published source (gemm_common/published_copy.h,
// warp_tile.h).
//
// With GEMM_EPILOGUE elements of C become what gemm_common/epilogue.h says, by way of shared memory.
//
// Arguments: gemm_common/gemm_arguments.h, A and C row-major, B row-major (FP16: words of two
// elements of a column, a row of n words for each pair of k), sizes multiples of the tile. Prints
// "cycles: N": from the first tile to the moment the last result is in global memory. Exit code 2:
// sizes, or a machine with another number of threads.
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_strides.h"
#include "sw/kernels/gemm_common/published_copy.h"
#include "sw/kernels/gemm_common/tensor_gemm.h"

#if defined(GEMM_PUBLISHED) && defined(GEMM_FP16)
#define COPY_AS_PUBLISHED
#endif

GEMM_ARGUMENTS(arguments);

using TileA = RowOfK<kTileM>;
using TileB = RowOfK<kTileN>;

#ifndef COPY_AS_PUBLISHED
constexpr unsigned kRowsA = kThreads / kTileWords;  // rows of A that all threads cover
constexpr unsigned kRowsB = kThreads / kTileN;  // words of k of B that they cover
constexpr unsigned kWordsA = kTileM / kRowsA, kWordsB = kTileWords / kRowsB;  // of a thread, of a tile
constexpr unsigned at_once(unsigned words) { return words < 8 ? words : 8; }  // loaded before they are stored

// Eight words, or fewer, from global memory, `step` bytes apart, to f0..f7. Returns the address behind them.
template <unsigned count>
static inline unsigned load_words(unsigned from, unsigned step) {
#define LOAD(to) "flw " to ", 0(%0)\n\tadd %0, %0, %1\n\t"
  if constexpr (count == 8)
    __asm__ volatile(LOAD("f0") LOAD("f1") LOAD("f2") LOAD("f3") LOAD("f4") LOAD("f5") LOAD("f6") LOAD("f7")
                     : "+r"(from)
                     : "r"(step)
                     : "memory", TENSOR_CORE_A);
  else if constexpr (count == 4)
    __asm__ volatile(LOAD("f0") LOAD("f1") LOAD("f2") LOAD("f3")
                     : "+r"(from)
                     : "r"(step)
                     : "memory", TENSOR_CORE_A);
  else if constexpr (count == 2)
    __asm__ volatile(LOAD("f0") LOAD("f1") : "+r"(from) : "r"(step) : "memory", TENSOR_CORE_A);
  else __asm__ volatile(LOAD("f0") : "+r"(from) : "r"(step) : "memory", TENSOR_CORE_A);
#undef LOAD
  static_assert(count == 8 || count == 4 || count == 2 || count == 1, "words of a thread");
  return from;
}

// f0..f7 to shared memory, kRowsA words apart.
template <unsigned count>
static inline void store_column(unsigned to) {
  if constexpr (count == 8)
    __asm__ volatile(
        "fsw f0, 0(%0)\n\tfsw f1, %1(%0)\n\tfsw f2, %2(%0)\n\tfsw f3, %3(%0)\n\t"
        "fsw f4, %4(%0)\n\tfsw f5, %5(%0)\n\tfsw f6, %6(%0)\n\tfsw f7, %7(%0)" ::"r"(to),
        TENSOR_CORE_OFFSETS(kRowsA * kWordBytes)
        : "memory");
  else if constexpr (count == 4)
    __asm__ volatile("fsw f0, 0(%0)\n\tfsw f1, %1(%0)\n\tfsw f2, %2(%0)\n\tfsw f3, %3(%0)" ::"r"(to),
                     TENSOR_CORE_OFFSETS(kRowsA * kWordBytes)
                     : "memory");
  else if constexpr (count == 2)
    __asm__ volatile("fsw f0, 0(%0)\n\tfsw f1, %1(%0)" ::"r"(to), TENSOR_CORE_OFFSETS(kRowsA * kWordBytes)
                     : "memory");
  else __asm__ volatile("fsw f0, 0(%0)" ::"r"(to) : "memory");
}

// f0..f7 to shared memory, kRowsB rows apart: more than a store's offset reaches for more than two
// of them, and for two only downwards if they are 2048 bytes apart. `to`: kReach bytes behind the
// first, of a single one none. Returns the address behind them.
constexpr unsigned kRowsStep = kRowsB * TileB::kWord;
constexpr unsigned kReach = kRowsStep != 2048 || kWordsB == 1 ? 0 : kRowsStep;
template <unsigned count>
static inline unsigned store_rows(unsigned to) {
  if constexpr (kRowsStep > 2048 || count == 1) {
#define STORE(from) "fsw " from ", 0(%0)\n\tadd %0, %0, %1\n\t"
    if constexpr (count == 8)
      __asm__ volatile(STORE("f0") STORE("f1") STORE("f2") STORE("f3") STORE("f4") STORE("f5") STORE("f6")
                           STORE("f7")
                       : "+r"(to)
                       : "r"(kRowsStep)
                       : "memory");
    else if constexpr (count == 4)
      __asm__ volatile(STORE("f0") STORE("f1") STORE("f2") STORE("f3")
                       : "+r"(to)
                       : "r"(kRowsStep)
                       : "memory");
    else if constexpr (count == 2)
      __asm__ volatile(STORE("f0") STORE("f1") : "+r"(to) : "r"(kRowsStep) : "memory");
    else __asm__ volatile(STORE("f0") : "+r"(to) : "r"(kRowsStep) : "memory");
#undef STORE
  } else {
#define STORE(first, second) "fsw " first ", %1(%0)\n\tfsw " second ", %2(%0)\n\tadd %0, %0, %3\n\t"
#define STORE_OPERANDS \
  "+r"(to) : "i"(-static_cast<int>(kReach)), "i"(kRowsStep - kReach), "r"(2 * kRowsStep) : "memory"
    if constexpr (count == 8)
      __asm__ volatile(STORE("f0", "f1") STORE("f2", "f3") STORE("f4", "f5") STORE("f6", "f7")
                       : STORE_OPERANDS);
    else if constexpr (count == 4) __asm__ volatile(STORE("f0", "f1") STORE("f2", "f3") : STORE_OPERANDS);
    else __asm__ volatile(STORE("f0", "f1") : STORE_OPERANDS);
#undef STORE
#undef STORE_OPERANDS
  }
  return to;
}

// The thread's words of both tiles: of A of word column thread % kTileWords every kRowsA-th row, of B of column
// thread % kTileN every kRowsB-th. `a`, `b`: its first word in global memory; steps: bytes to its next one.
static inline void copy_block(unsigned thread, unsigned a, unsigned a_step, unsigned b, unsigned b_step) {
  constexpr unsigned kCountA = at_once(kWordsA), kCountB = at_once(kWordsB), kRows = kCountA * kRowsA;
  static_assert(kRowsA > 0 && kRowsB > 0 && kTileM % kRows == 0 && kTileWords % (kCountB * kRowsB) == 0,
                "words of a thread");
  const unsigned row = thread / kTileWords, column = thread % kTileWords;
  unsigned to = shared_a(0) + column * TileA::kWord + row * kWordBytes;
  for (unsigned i = 0; i < kTileM; i += kRows) {
    a = load_words<kCountA>(a, a_step);
    store_column<kCountA>(to);
    to += kRows * kWordBytes;
  }
  const unsigned row_b = thread / kTileN, column_b = thread % kTileN;
  to = shared_b(0) + row_b * TileB::kWord + column_b * kWordBytes + kReach;
  for (unsigned i = 0; i < kTileWords; i += kCountB * kRowsB) {
    b = load_words<kCountB>(b, b_step);
    to = store_rows<kCountB>(to);
  }
}

#endif

static void kernel(unsigned thread, void*) {
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k / kWordElements;
  const unsigned b_row = gemm_ldb(arguments, n) * kWordBytes;  // FP16: of two k
  const unsigned c_row = gemm_ldc(arguments, n) * kWordBytes;
#ifdef COPY_AS_PUBLISHED
  const unsigned a_row = gemm_lda(arguments, m) * kWordBytes;  // of two k
  const unsigned a = static_cast<unsigned>(arguments.a), b = static_cast<unsigned>(arguments.b);
#else
#ifdef GEMM_STRIDED
  const unsigned a_row = arguments.lda * (kWordBytes / kWordElements);
#else
  const unsigned a_row = k * kWordBytes;
#endif
  const unsigned row = thread / kTileWords, column = thread % kTileWords * kWordBytes;
  const unsigned row_b = thread / kTileN, column_b = thread % kTileN * kWordBytes;
  const unsigned a = static_cast<unsigned>(arguments.a) + row * a_row + column;
  const unsigned b = static_cast<unsigned>(arguments.b) + row_b * b_row + column_b;
#endif
  [[maybe_unused]] const unsigned c = static_cast<unsigned>(arguments.c);
  const unsigned driver = thread == 0, warps = used_warps();
  const WarpTile part(thread);

  TIMED_TILES(i, j, m, n)
  WarpTile::clear();
  for (unsigned block = 0; block < k; block += kTileWords) {
    MARK_BLOCK_BEG();
#ifdef COPY_AS_PUBLISHED
    copy_tile_as_published<kTileM>(thread, a + block * a_row + i * kWordBytes, a_row, shared_a(0));
    copy_tile_as_published<kTileN>(thread, b + block * b_row + j * kWordBytes, b_row, shared_b(0));
#else
    copy_block(
        thread,
        a + i * a_row + gemm_column_of_a(arguments, block * kWordElements) / kWordElements * kWordBytes,
        kRowsA * a_row, b + block * b_row + j * kWordBytes, kRowsB * b_row);
#endif
    simt_barrier(0, warps);
    part.multiply<TileA, TileB>(shared_a(0), shared_b(0));
    simt_barrier(0, warps);
    MARK_BLOCK_END();
  }
#ifdef GEMM_EPILOGUE
  part.finish(arguments, shared_a(0), c_row / kWordBytes, i, j);
  simt_barrier(0, warps);
#else
  part.store(c + i * c_row + j * kWordBytes, c_row);
#endif
  TIMED_TILES_END(driver, warps)
}

GEMM_MAIN(arguments) { return run_tensor_gemm(arguments, kernel); }
