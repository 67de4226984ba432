// SPDX-License-Identifier: Apache-2.0
// C = A * B with the tensor cores inside the SIMT cores, without DMA (Volta style). FP32, output
// tiles of 64 x 64 in k blocks of 64, 16 x 8 of a tile per warp, all 32 warps.
//
// Shows: per k block every thread copies 16 words of A and 16 of B from global to shared memory
// through registers, eight loads before eight stores; fence and barrier; 16 multiplications of 8 x
// 8 x 8 per warp; fence and barrier. Nothing overlaps but what different warps do.
//
// Operand loads are without conflict when the words that the lanes load lie side by side: rows of A
// and columns of B. B is row-major and can stay as it is. A is transposed on the way: the loads
// from global memory are coalesced (eight words of a row), the stores of the lanes lie 64 words
// apart, so seven of eight wait for the one unaligned path of the cluster.
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major, sizes multiples of 64. Prints
// "cycles: N": from the first tile to the moment the last result is in global memory. Exit code 2:
// sizes, or a machine without 256 threads in warps of 8.
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/warp_tile.h"

GEMM_ARGUMENTS(arguments);

constexpr unsigned kRowsAtOnce = kThreads / kTile;  // rows of a tile that all threads cover
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

// f0..f7 to shared memory, kRowsAtOnce words apart.
static inline void store_column(unsigned to) {
  __asm__ volatile(
      "fsw f0, 0(%0)\n\tfsw f1, %1(%0)\n\tfsw f2, %2(%0)\n\tfsw f3, %3(%0)\n\t"
      "fsw f4, %4(%0)\n\tfsw f5, %5(%0)\n\tfsw f6, %6(%0)\n\tfsw f7, %7(%0)" ::"r"(to),
      TENSOR_CORE_OFFSETS(kRowsAtOnce * kWordBytes)
      : "memory");
}

// f0..f7 to shared memory, kRowsAtOnce rows apart: more than a store's offset reaches for more than
// two of them. Returns the address behind them.
static inline unsigned store_rows(unsigned to) {
  constexpr unsigned kStep = kRowsAtOnce * RowOfK::kWord;
  __asm__ volatile(
      "fsw f0, 0(%0)\n\tfsw f1, %1(%0)\n\tadd %0, %0, %2\n\t"
      "fsw f2, 0(%0)\n\tfsw f3, %1(%0)\n\tadd %0, %0, %2\n\t"
      "fsw f4, 0(%0)\n\tfsw f5, %1(%0)\n\tadd %0, %0, %2\n\t"
      "fsw f6, 0(%0)\n\tfsw f7, %1(%0)\n\tadd %0, %0, %2"
      : "+r"(to)
      : "i"(kStep), "r"(2 * kStep)
      : "memory");
  return to;
}

// The thread's words of both tiles, of word column thread % 64 and every fourth row. `a`, `b`: its
// first word in global memory; steps: bytes of four rows.
static inline void copy_block(unsigned thread, unsigned a, unsigned a_step, unsigned b,
                              unsigned b_step) {
  const unsigned row = thread / kTile, column = thread % kTile;
  unsigned to = shared_a(0) + column * RowOfK::kWord + row * kWordBytes;
  for (unsigned i = 0; i < kTile; i += kWordsAtOnce * kRowsAtOnce) {
    a = load_words(a, a_step);
    store_column(to);
    to += kWordsAtOnce * kRowsAtOnce * kWordBytes;
  }
  to = shared_b(0) + row * RowOfK::kWord + column * kWordBytes;
  for (unsigned i = 0; i < kTile; i += kWordsAtOnce * kRowsAtOnce) {
    b = load_words(b, b_step);
    to = store_rows(to);
  }
}

static void kernel(unsigned thread, void*) {
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k;
  const unsigned a_row = k * kWordBytes, b_row = n * kWordBytes;
  const unsigned row = thread / kTile, column = thread % kTile * kWordBytes;
  const unsigned a = static_cast<unsigned>(arguments.a) + row * a_row + column;
  const unsigned b = static_cast<unsigned>(arguments.b) + row * b_row + column;
  const unsigned c = static_cast<unsigned>(arguments.c);
  const unsigned driver = thread == 0, warps = simt_warps();
  const WarpTile part(thread);

  const unsigned begin = simt_cycle();
  MARK_BEG();
  for (unsigned i = 0; i < m; i += kTile) {
    for (unsigned j = 0; j < n; j += kTile) {
      WarpTile::clear();
      for (unsigned block = 0; block < k; block += kTile) {
        copy_block(thread, a + i * a_row + block * kWordBytes, kRowsAtOnce * a_row,
                   b + block * b_row + j * kWordBytes, kRowsAtOnce * b_row);
        simt_barrier(0, warps);
        part.multiply<RowOfK>(shared_a(0), shared_b(0));
        simt_barrier(0, warps);
      }
      part.store(c + i * b_row + j * kWordBytes, b_row);
    }
  }
  simt_barrier(0, warps);
  MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  SIMT_IF(driver)
    printf("cycles: %u\n", cycles);
  SIMT_END_IF
}

int main() {
  if (!gemm_sizes_fit(arguments, kTile) || !warp_tiles_fit()) return 2;
  spawn_tasks(kThreads, kernel, nullptr);
  return 0;
}
