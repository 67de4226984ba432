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
// Arguments: gemm_common/gemm_arguments.h, A and C row-major, B row-major (FP16: words of two
// elements of a column, a row of n words for each pair of k), sizes multiples of the tile. Prints
// "cycles: N": from the first tile to the moment the last result is in global memory. Exit code 2:
// sizes, or a machine with another number of threads.
#include <stdlib.h>

#include "sw/kernels/gemm_common/tensor_gemm.h"

GEMM_ARGUMENTS(arguments);

constexpr unsigned kRowsA = kThreads / kTileWords;  // rows of A that all threads cover
constexpr unsigned kRowsB = kThreads / kTileN;      // words of k of B that they cover
constexpr unsigned kWordsAtOnce = 8;                // loaded before they are stored

// Eight words from global memory, `step` bytes apart, to f0..f7. Returns the address behind them.
static inline unsigned load_words(unsigned from, unsigned step) {
  __asm__ volatile(
      "flw f0, 0(%0)\n\tadd %0, %0, %1\n\tflw f1, 0(%0)\n\tadd %0, %0, %1\n\t"
      "flw f2, 0(%0)\n\tadd %0, %0, %1\n\tflw f3, 0(%0)\n\tadd %0, %0, %1\n\t"
      "flw f4, 0(%0)\n\tadd %0, %0, %1\n\tflw f5, 0(%0)\n\tadd %0, %0, %1\n\t"
      "flw f6, 0(%0)\n\tadd %0, %0, %1\n\tflw f7, 0(%0)\n\tadd %0, %0, %1"
      : "+r"(from)
      : "r"(step)
      : "memory", TENSOR_CORE_A);
  return from;
}

// f0..f7 to shared memory, kRowsA words apart.
static inline void store_column(unsigned to) {
  __asm__ volatile(
      "fsw f0, 0(%0)\n\tfsw f1, %1(%0)\n\tfsw f2, %2(%0)\n\tfsw f3, %3(%0)\n\t"
      "fsw f4, %4(%0)\n\tfsw f5, %5(%0)\n\tfsw f6, %6(%0)\n\tfsw f7, %7(%0)" ::"r"(to),
      TENSOR_CORE_OFFSETS(kRowsA * kWordBytes)
      : "memory");
}

using TileA = RowOfK<kTileM>;
using TileB = RowOfK<kTileN>;

// f0..f7 to shared memory, kRowsB rows apart: more than a store's offset reaches for more than two
// of them, and for two only downwards if they are 2048 bytes apart. `to`: kReach bytes behind the
// first. Returns the address behind them.
constexpr unsigned kRowsStep = kRowsB * TileB::kWord;
constexpr unsigned kReach = kRowsStep < 2048 ? 0 : kRowsStep;
static inline unsigned store_rows(unsigned to) {
  __asm__ volatile(
      "fsw f0, %1(%0)\n\tfsw f1, %2(%0)\n\tadd %0, %0, %3\n\t"
      "fsw f2, %1(%0)\n\tfsw f3, %2(%0)\n\tadd %0, %0, %3\n\t"
      "fsw f4, %1(%0)\n\tfsw f5, %2(%0)\n\tadd %0, %0, %3\n\t"
      "fsw f6, %1(%0)\n\tfsw f7, %2(%0)\n\tadd %0, %0, %3"
      : "+r"(to)
      : "i"(-static_cast<int>(kReach)), "i"(kRowsStep - kReach), "r"(2 * kRowsStep)
      : "memory");
  return to;
}

// The thread's words of both tiles, of word column thread % 64 and every kRowsA-th (kRowsB-th) row.
// `a`, `b`: its first word in global memory; steps: bytes to its next one.
static inline void copy_block(unsigned thread, unsigned a, unsigned a_step, unsigned b, unsigned b_step) {
  constexpr unsigned kRows = kWordsAtOnce * kRowsA;
  static_assert(kTileN == kTileWords && kTileM % kRows == 0, "words of a thread");
  const unsigned row = thread / kTileWords, column = thread % kTileWords;
  unsigned to = shared_a(0) + column * TileA::kWord + row * kWordBytes;
  for (unsigned i = 0; i < kTileM; i += kRows) {
    a = load_words(a, a_step);
    store_column(to);
    to += kRows * kWordBytes;
  }
  to = shared_b(0) + row * TileB::kWord + column * kWordBytes + kReach;
  for (unsigned i = 0; i < kTileWords; i += kWordsAtOnce * kRowsB) {
    b = load_words(b, b_step);
    to = store_rows(to);
  }
}

static void kernel(unsigned thread, void*) {
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k / kWordElements;
  const unsigned a_row = k * kWordBytes, b_row = n * kWordBytes;
  const unsigned row = thread / kTileWords, column = thread % kTileWords * kWordBytes;
  const unsigned a = static_cast<unsigned>(arguments.a) + row * a_row + column;
  const unsigned b = static_cast<unsigned>(arguments.b) + row * b_row + column;
  const unsigned c = static_cast<unsigned>(arguments.c);
  const unsigned driver = thread == 0, warps = simt_warps();
  const WarpTile part(thread);

  TIMED_TILES(i, j, m, n)
  WarpTile::clear();
  for (unsigned block = 0; block < k; block += kTileWords) {
    MARK_BLOCK_BEG();
    copy_block(thread, a + i * a_row + block * kWordBytes, kRowsA * a_row, b + block * b_row + j * kWordBytes,
               kRowsB * b_row);
    simt_barrier(0, warps);
    part.multiply<TileA, TileB>(shared_a(0), shared_b(0));
    simt_barrier(0, warps);
    MARK_BLOCK_END();
  }
  part.store(c + i * b_row + j * kWordBytes, b_row);
  TIMED_TILES_END(driver, warps)
}

int main() { return run_tensor_gemm(arguments, kernel); }
