// SPDX-License-Identifier: Apache-2.0
// C = A * B in FP32 by matrix units, as a grid of work groups, one for each tile of C: each cluster of the machine
// works on a tile of its own.
//
// Shows: a work group that owns the matrix unit of its cluster. Its one thread starts the DMA and the unit
// (<spica/matrix.h>); while the unit computes on one pair of tiles, the DMA loads the next one.
//
// Kernel      gemm
// Arguments   gemm_common/gemm_arguments.h; A, B and C row-major, sizes multiples of the tile
// Grid        x: tiles of columns of C, y: tiles of rows, z: products of a batch
// Compiled for GEMM_TILE_M, _N and _K, MATRIX_UNIT_DIM, PLATFORM_SHARED_SIZE
#define GEMM_WORK_GROUPS
#include <spica/group.h>
#include <spica/matrix.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/gemm_strides.h"

#ifndef GEMM_TILE_M
#define GEMM_TILE_M 64
#define GEMM_TILE_N 64
#define GEMM_TILE_K 64
#endif
constexpr unsigned kTileM = GEMM_TILE_M, kTileN = GEMM_TILE_N, kTileK = GEMM_TILE_K;
GEMM_TILE(GEMM_TILE_M, GEMM_TILE_N, GEMM_TILE_K);

GEMM_ARGUMENTS(arguments);

struct Shared {  // of a work group: two buffers, one computed on, one loaded
  spica::Tile<float, kTileM, kTileK> a[2];
  spica::Tile<float, kTileK, kTileN> b[2];
};

#ifdef GEMM_BATCHED
BUILT_FOR("gemm.batched", 1);
#define GEMM_PRODUCT(matrix) static_cast<uint32_t>(p->matrix) + spica::block_index().z * p->stride_##matrix
#else
#define GEMM_PRODUCT(matrix) p->matrix
#endif

extern "C" void gemm(const GemmArguments* p) {
  auto& shared = *spica::group_shared<Shared>();
  const spica::Matrix<const float> a{ARGUMENT_POINTER(const float, GEMM_PRODUCT(a)), gemm_lda(*p, p->k)};
  const spica::Matrix<const float> b{ARGUMENT_POINTER(const float, GEMM_PRODUCT(b)), gemm_ldb(*p, p->n)};
  const spica::Matrix<float> c{ARGUMENT_POINTER(float, GEMM_PRODUCT(c)), gemm_ldc(*p, p->n)};
  const unsigned i = spica::block_index().y * kTileM, j = spica::block_index().x * kTileN;

  spica::MatrixUnit unit;
  spica::Accumulator<float, kTileM, kTileN> sums;
  MARK_BEG();
  auto loaded = unit.load(shared.a[0], a.at(i, gemm_column_of_a(*p, 0)), shared.b[0], b.at(0, j));
  unsigned odd = 0;
  for (unsigned k = kTileK;; k += kTileK) {
    (void)unit.mma(sums, shared.a[odd], shared.b[odd],
                   loaded);  // also after the one before: the other buffer is free
    if (k == p->k) break;
    odd ^= 1;
    loaded = unit.load(shared.a[odd], a.at(i, gemm_column_of_a(*p, k)), shared.b[odd], b.at(k, j));
  }
  unit.store(c.at(i, j), sums).wait();
  MARK_END();
}
SPICA_KERNEL(gemm, 1, sizeof(Shared));
SPICA_KERNEL_OWNS_MATRIX_UNIT(gemm);
