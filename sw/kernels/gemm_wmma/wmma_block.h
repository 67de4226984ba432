// SPDX-License-Identifier: Apache-2.0
// The product of the textbooks by wmma.h: see gemm_wmma/main.cpp.
#pragma once

#include <platform.h>
#include <simt.h>
#include <wmma.h>

constexpr unsigned kTile = 16, kDepth = 32, kSkew = 8;

template <class Sum>
struct Product {
  unsigned n, k;
  const uint32_t *a, *b;  // two elements to a word
  Sum* c;
  unsigned warps, rows, columns;  // warps of the cluster, and how they share the block
  unsigned m;
};

/// How far apart the rows of A, B and C are, in elements, and where element `k` of a row of A is: they follow each
/// other.
struct NaturalRows {
  template <class P>
  __attribute__((always_inline)) static unsigned lda(const P& p) {
    return p.k;
  }
  template <class P>
  __attribute__((always_inline)) static unsigned ldb(const P& p) {
    return p.n;
  }
  template <class P>
  __attribute__((always_inline)) static unsigned ldc(const P& p) {
    return p.n;
  }
  __attribute__((always_inline)) static unsigned column_of_a(unsigned k) { return k; }
};

/// The actions around each instruction on fragments: none.
struct Unmeasured {
  template <class F>
  __attribute__((always_inline)) void load(F f) {
    f();
  }
  template <class F>
  __attribute__((always_inline)) void multiply(F f) {
    f();
  }
  template <class F>
  __attribute__((always_inline)) void store(F f) {
    f();
  }
};

/// Who computes a block together, and where its shared memory is: all warps of the machine.
struct AllWarps {
  __attribute__((always_inline)) static uint32_t* shared() {
    return reinterpret_cast<uint32_t*>(PLATFORM_SHARED_BASE);
  }
  __attribute__((always_inline)) static void barrier() { simt_barrier(0, simt_warps()); }
};

/// All threads copy the block's rows of A and columns of B for kDepth of k to shared memory.
template <class Rows, class Sum>
static inline void copy(const Product<Sum>& p, unsigned thread, unsigned block_row, unsigned block_column,
                        unsigned k, uint32_t* shared_a, uint32_t* shared_b) {
  const unsigned threads = p.warps * 32, wide = p.columns * kTile;
  const unsigned words_a = p.rows * kTile * kDepth / 2, words_b = kDepth * wide / 2;
  for (unsigned i = thread; i < words_a; i += threads) {
    const unsigned row = i / (kDepth / 2), word = i % (kDepth / 2);
    shared_a[row * (kDepth + kSkew) / 2 + word] =
        p.a[((block_row + row) * Rows::lda(p) + Rows::column_of_a(k)) / 2 + word];
  }
  for (unsigned i = thread; i < words_b; i += threads) {
    const unsigned row = i / (wide / 2), word = i % (wide / 2);
    shared_b[row * (wide + kSkew) / 2 + word] = p.b[((k + row) * Rows::ldb(p) + block_column) / 2 + word];
  }
}

/// A block of C. `shared`: fragments come from shared memory, else from global memory.
template <bool shared, class Rows = NaturalRows, class Team = AllWarps, class Sum, class Meter>
static inline void block(const Product<Sum>& p, unsigned thread, unsigned block_row, unsigned block_column,
                         Meter& meter) {
  const unsigned warp = thread / 32;
  const unsigned tile_row = warp / p.columns * kTile, tile_column = warp % p.columns * kTile;
  const unsigned wide = p.columns * kTile;
  const unsigned stride_a = shared ? kDepth + kSkew : Rows::lda(p);
  const unsigned stride_b = shared ? wide + kSkew : Rows::ldb(p);
  uint32_t* const shared_a = Team::shared();
  uint32_t* const shared_b = shared_a + p.rows * kTile * (kDepth + kSkew) / 2;
  wmma::fragment<0, wmma::matrix_a, 16, 16, 16, wmma::half, wmma::row_major> a;
  wmma::fragment<1, wmma::matrix_b, 16, 16, 16, wmma::half, wmma::row_major> b;
  wmma::fragment<2, wmma::accumulator, 16, 16, 16, Sum> c;
  wmma::fill_fragment(c, Sum{});
  for (unsigned k = 0; k < p.k; k += kDepth) {
    const wmma::half *halves_a, *halves_b;
    if (shared) {
      copy<Rows>(p, thread, block_row, block_column, k, shared_a, shared_b);
      Team::barrier();
      halves_a = reinterpret_cast<const wmma::half*>(shared_a) + tile_row * stride_a;
      halves_b = reinterpret_cast<const wmma::half*>(shared_b) + tile_column;
    } else {
      halves_a = reinterpret_cast<const wmma::half*>(p.a) + (block_row + tile_row) * Rows::lda(p) +
                 Rows::column_of_a(k);
      halves_b = reinterpret_cast<const wmma::half*>(p.b) + k * Rows::ldb(p) + block_column + tile_column;
    }
    for (unsigned step = 0; step < kDepth; step += kTile) {
      meter.load([&] { wmma::load_matrix_sync(a, halves_a + step, stride_a); });
      meter.load([&] { wmma::load_matrix_sync(b, halves_b + step * stride_b, stride_b); });
      meter.multiply([&] { wmma::mma_sync(c, a, b, c); });
    }
    if (shared) Team::barrier();
  }
  meter.store([&] {
    wmma::store_matrix_sync(p.c + (block_row + tile_row) * Rows::ldc(p) + block_column + tile_column, c,
                            Rows::ldc(p), wmma::mem_row_major);
  });
}
