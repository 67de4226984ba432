// SPDX-License-Identifier: Apache-2.0
// C = A * B by tensor cores of fragments in registers (wmma.h), operands through shared memory.
//
// Shows: the WMMA kernel of the textbooks. All warps of the cluster together compute a block of C, a tile of 16x16 each.
// Per 32 of k all threads copy the block's rows of A and columns of B to shared memory, word by word; between the copy
// and the products, and behind them, all meet. Rows in shared memory are 8 elements longer than the block, so that the
// loads of a fragment find their words in different banks.
//
// Arguments: gemm_common/gemm_arguments.h; A and B row-major FP16, C row-major, FP32 (GEMM_HALF_SUMS: FP16); m and n
// multiples of 128 with 64 warps (a multiple of 16 for each row and column of warps), k of 32.
// Prints "cycles: N": from the start to the moment all cores are done.
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <wmma.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"

GEMM_ARGUMENTS(arguments);

#ifdef GEMM_HALF_SUMS
using Sum = wmma::half;
#else
using Sum = float;
#endif

constexpr unsigned kTile = 16, kDepth = 32, kSkew = 8;

struct Product {
  unsigned n, k;
  const uint32_t *a, *b;  // two elements to a word
  Sum* c;
  unsigned warps, rows, columns;  // warps of the cluster, and how they share the block
  unsigned m;
};

static void block(const Product& p, unsigned thread, unsigned block_row, unsigned block_column) {
  const unsigned warp = thread / 32, threads = p.warps * 32;
  const unsigned tile_row = warp / p.columns * kTile, tile_column = warp % p.columns * kTile;
  const unsigned wide = p.columns * kTile, stride_a = kDepth + kSkew, stride_b = wide + kSkew;
  auto* const shared_a = reinterpret_cast<uint32_t*>(PLATFORM_SHARED_BASE);
  uint32_t* const shared_b = shared_a + p.rows * kTile * stride_a / 2;
  wmma::fragment<0, wmma::matrix_a, 16, 16, 16, wmma::half, wmma::row_major> a;
  wmma::fragment<1, wmma::matrix_b, 16, 16, 16, wmma::half, wmma::row_major> b;
  wmma::fragment<2, wmma::accumulator, 16, 16, 16, Sum> c;
  wmma::fill_fragment(c, Sum{});
  for (unsigned k = 0; k < p.k; k += kDepth) {
    const unsigned words_a = p.rows * kTile * kDepth / 2, words_b = kDepth * wide / 2;
    for (unsigned i = thread; i < words_a; i += threads) {
      const unsigned row = i / (kDepth / 2), word = i % (kDepth / 2);
      shared_a[row * stride_a / 2 + word] = p.a[((block_row + row) * p.k + k) / 2 + word];
    }
    for (unsigned i = thread; i < words_b; i += threads) {
      const unsigned row = i / (wide / 2), word = i % (wide / 2);
      shared_b[row * stride_b / 2 + word] = p.b[((k + row) * p.n + block_column) / 2 + word];
    }
    simt_barrier(0, simt_warps());
    for (unsigned step = 0; step < kDepth; step += kTile) {
      const auto* const halves_a = reinterpret_cast<const wmma::half*>(shared_a);
      const auto* const halves_b = reinterpret_cast<const wmma::half*>(shared_b);
      wmma::load_matrix_sync(a, halves_a + tile_row * stride_a + step, stride_a);
      wmma::load_matrix_sync(b, halves_b + step * stride_b + tile_column, stride_b);
      wmma::mma_sync(c, a, b, c);
    }
    simt_barrier(0, simt_warps());
  }
  wmma::store_matrix_sync(p.c + (block_row + tile_row) * p.n + block_column + tile_column, c, p.n,
                          wmma::mem_row_major);
}

static void task(unsigned thread, void* argument) {
  const Product& p = *static_cast<const Product*>(argument);
  for (unsigned row = 0; row < p.m; row += p.rows * kTile)
    for (unsigned column = 0; column < p.n; column += p.columns * kTile) block(p, thread, row, column);
}

int main() {
  const unsigned warps = spawn_threads() / 32;
  unsigned rows = 1;
  while (rows * rows < warps) rows *= 2;
  Product product = {arguments.n,
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
  printf("cycles: %u\n", simt_cycle() - begin);
  return 0;
}
