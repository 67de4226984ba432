// SPDX-License-Identifier: Apache-2.0
// C = A * B with the cluster's matrix unit and its DMA.
//
// Shows: one hardware thread (thread 0 of core 0) drives the unit; while the unit computes on one
// pair of tiles in shared memory the DMA loads the next pair.
//
// Compiled for each machine (DEFINES in sw/CMakeLists.txt):
//   GEMM_TILE_M, _N, _K   the tile that one CISC command moves and computes
//   GEMM_COMMANDS         QUARTILE_V1, QUARTILE (12-bit strides) or HEXADECILE
//   MATRIX_UNIT_DIM, MATRIX_UNIT_ELEMENT_BYTES, PLATFORM_SHARED_SIZE
// In quarters of shared memory A tiles lie at the start of 0 and 1, B tiles end with 2 and 3. In
// sixteenths A tiles lie at the start of 0 and 4, B tiles end with 11 and 15.
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major, all of the unit's element type,
// sizes multiples of the tile. Prints "cycles: N": from the first tile to the moment the last
// result is in global memory. Exit code 2 when the sizes are no multiples of the tile.
#include <matrix_unit.h>
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"

#define QUARTILE_V1 0
#define QUARTILE 1
#define HEXADECILE 2
#ifndef GEMM_COMMANDS
#define GEMM_COMMANDS QUARTILE_V1
#endif
#ifndef GEMM_TILE_M
#define GEMM_TILE_M 64
#define GEMM_TILE_N 64
#define GEMM_TILE_K 64
#endif

GEMM_ARGUMENTS(arguments);

constexpr unsigned kUnit = 0;
constexpr unsigned kTileM = GEMM_TILE_M, kTileN = GEMM_TILE_N, kTileK = GEMM_TILE_K;
constexpr unsigned kDim = MATRIX_UNIT_DIM;
constexpr unsigned kBytes = MATRIX_UNIT_ELEMENT_BYTES;
constexpr bool kHexadecile = GEMM_COMMANDS == HEXADECILE;
constexpr unsigned kLongestRow = MATRIX_UNIT_H_STRIDE_MASK;  // that a CISC command can name

// Row lengths of A and B, for the slot of the next loop. Revision v1 has 8 bits for them in a CISC
// command, which is not enough for most matrices.
static inline void set_row_lengths(unsigned k, unsigned n) {
  if (GEMM_COMMANDS == QUARTILE_V1 || k > kLongestRow || n > kLongestRow)
    matrix_unit_loop_stride_ab(kUnit, k, n);
  else if (GEMM_COMMANDS == QUARTILE)
    matrix_unit_q_stride_ab(kUnit, k, n);
  else
    matrix_unit_h_stride_ab(kUnit, k, n);
}

static inline void load(bool odd) {
  if (kHexadecile)
    matrix_unit_h_load(kUnit, odd ? 4 : 0, odd ? 15 : 11);
  else
    matrix_unit_cisc(kUnit, odd ? MATRIX_UNIT_Q_LOAD_1 : MATRIX_UNIT_Q_LOAD_0);
}

static inline void compute(unsigned tile, bool odd) {
  if (kHexadecile)
    matrix_unit_h_compute(kUnit, odd ? 4 : 0, odd ? 15 : 11, tile != 0);
  else if (tile == 0)
    matrix_unit_cisc(kUnit, MATRIX_UNIT_Q_COMPUTE_0);
  else if (odd)
    matrix_unit_cisc(kUnit, MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE);
  else
    matrix_unit_cisc(kUnit, MATRIX_UNIT_Q_COMPUTE_0_ACCUMULATE);
}

// The k tiles of one output tile. Load k runs while tile k - 1 is computed, because the fence
// between the load and the compute command waits for both. Loads take one loop slot, computes the
// other, so that row lengths count for all loads of this output tile.
static inline void multiply_tile(unsigned a, unsigned b, unsigned n, unsigned k) {
  if (GEMM_COMMANDS == QUARTILE_V1) set_row_lengths(k, n);
  for (unsigned tile = 0; tile < k / kTileK; ++tile) {
    matrix_unit_loop_address_ab(kUnit, a, b);
    const bool odd = (tile & 1) != 0;
    if (GEMM_COMMANDS != QUARTILE_V1) set_row_lengths(k, n);
    load(odd);
    matrix_unit_fence(kUnit);
    compute(tile, odd);
    a += kTileK * kBytes;
    b += kTileK * n * kBytes;
  }
  // busy is seen two cycles late: as in the published kernel, look four times.
  for (unsigned i = 0; i < 4; ++i) matrix_unit_fence(kUnit);
}

// The accumulator to global memory. It is not waited for: the first load of the next output tile
// runs beside it, and the fence behind that load is in front of the compute that overwrites the
// accumulator.
static inline void store_tile(unsigned c, unsigned n) {
  if (!kHexadecile) matrix_unit_loop_bounds(kUnit, kTileM / kDim, kTileN / kDim, kTileK / kDim);
  matrix_unit_loop_address_dc(kUnit, 0, c);
  if (kHexadecile && n <= kLongestRow)
    matrix_unit_h_stride_dc(kUnit, 0, n);
  else
    matrix_unit_loop_stride_dc(kUnit, 0, n);
  if (kHexadecile)
    matrix_unit_h_store(kUnit);
  else
    matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0);
}

static unsigned multiply() {
  const unsigned m = arguments.m, n = arguments.n, k = arguments.k;
  const unsigned a = static_cast<unsigned>(arguments.a), b = static_cast<unsigned>(arguments.b);
  const unsigned c = static_cast<unsigned>(arguments.c);
  matrix_unit_config_execute(kUnit);
  matrix_unit_config_load(kUnit, 0, k * kBytes);
  matrix_unit_config_load(kUnit, 1, n * kBytes);
  matrix_unit_config_store(kUnit, n * kBytes);
  matrix_unit_fence(kUnit);

  const unsigned begin = simt_cycle();
  MARK_BEG();
  for (unsigned i = 0; i < m; i += kTileM) {
    for (unsigned j = 0; j < n; j += kTileN) {
      multiply_tile(a + i * k * kBytes, b + j * kBytes, n, k);
      store_tile(c + (i * n + j) * kBytes, n);
    }
  }
  for (unsigned i = 0; i < 4; ++i) matrix_unit_fence(kUnit);
  MARK_END();
  return simt_cycle() - begin;
}

static void kernel(unsigned, void*) {
  // From v2 on the threads that have nothing to do stop at once, before they wait at the barriers
  // at the end. The condition is the same for all lanes of a warp.
  if (kHexadecile) {
    if (simt_core() != 0 || simt_warp() != 0) exit(0);
    simt_tmc(1);
    printf("cycles: %u\n", multiply());
    exit(0);
  }
  const unsigned driver = simt_hart() == 0;
  unsigned cycles = 0;
  SIMT_IF(driver)
    cycles = multiply();
  SIMT_END_IF
  simt_barrier(0, simt_warps());
  SIMT_IF(driver)
    printf("cycles: %u\n", cycles);
  SIMT_END_IF
  simt_barrier(0, simt_warps());
  exit(0);  // every warp ends here, as in the published kernels
}

int main() {
  if (!gemm_sizes_fit(arguments, kTileM, kTileN, kTileK)) return 2;
  spawn_tasks(spawn_threads(), kernel, nullptr);
  return 0;
}
