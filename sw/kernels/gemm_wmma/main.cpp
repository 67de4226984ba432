// SPDX-License-Identifier: Apache-2.0
// C = A * B by tensor cores of fragments in registers (wmma.h), operands through shared memory.
//
// Shows: the WMMA kernel of the textbooks. All warps of the cluster together compute a block of C, a tile of 16x16
// each. Per 32 of k all threads copy the block's rows of A and columns of B to shared memory, word by word; between the
// copy and the products, and behind them, all meet. Rows in shared memory are 8 elements longer than the block, so that
// the loads of a fragment find their words in different banks.
//
// Arguments: gemm_common/gemm_arguments.h; A and B row-major FP16, C row-major, FP32 (GEMM_HALF_SUMS: FP16); m and n
// multiples of 128 with 64 warps (a multiple of 16 for each row and column of warps), k of 32.
// Prints "cycles: N": from the start to the moment all cores are done.
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/gemm_strides.h"
#include "sw/kernels/gemm_wmma/wmma_block.h"

GEMM_ARGUMENTS(arguments);

#ifdef GEMM_HALF_SUMS
using Sum = wmma::half;
#else
using Sum = float;
#endif

/// As the argument block says.
struct ArgumentRows {
  template <class P>
  SIMT_INLINE unsigned lda(const P& p) {
    return gemm_lda(arguments, p.k);
  }
  template <class P>
  SIMT_INLINE unsigned ldb(const P& p) {
    return gemm_ldb(arguments, p.n);
  }
  template <class P>
  SIMT_INLINE unsigned ldc(const P& p) {
    return gemm_ldc(arguments, p.n);
  }
  SIMT_INLINE unsigned column_of_a(unsigned k) { return gemm_column_of_a(arguments, k); }
};

static void task(unsigned thread, void* argument) {
  const auto& p = *static_cast<const Product<Sum>*>(argument);
  Unmeasured meter;
  for (unsigned row = 0; row < p.m; row += p.rows * kTile)
    for (unsigned column = 0; column < p.n; column += p.columns * kTile)
      block<true, ArgumentRows>(p, thread, row, column, meter);
}

GEMM_MAIN(arguments) {
  const unsigned warps = spawn_threads() / 32;
  unsigned rows = 1;
  while (rows * rows < warps) rows *= 2;
  Product<Sum> product = {arguments.n,
                          arguments.k,
                          ARGUMENT_POINTER(uint32_t, arguments.a),
                          ARGUMENT_POINTER(uint32_t, arguments.b),
                          ARGUMENT_POINTER(Sum, arguments.c),
                          warps,
                          rows,
                          warps / rows,
                          arguments.m};
  if (product.m % (product.rows * kTile) != 0 || product.n % (product.columns * kTile) != 0 ||
      product.k % kDepth != 0) {
    if (simt_core() == 0)
      printf("m must be a multiple of %u, n of %u, k of %u\n", product.rows * kTile, product.columns * kTile,
             kDepth);
    return 1;
  }
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(spawn_threads(), task, &product);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  MARK_END();
  GEMM_PRINT_CYCLES(simt_cycle() - begin);
  return 0;
}
