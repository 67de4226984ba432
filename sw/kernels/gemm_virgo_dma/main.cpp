// SPDX-License-Identifier: Apache-2.0
// C = A * B with the cluster's matrix unit and its DMA, FP32, tiles of 64 x 64 x 64.
//
// Shows: one hardware thread (thread 0 of core 0) drives the unit; while the unit computes on one
// pair of tiles in shared memory the DMA loads the next pair. Revision v1 (quartile commands): A
// tiles lie in quarters 0 and 1 of shared memory, B tiles in quarters 2 and 3.
//
// Arguments: gemm_common/gemm_arguments.h, A, B and C row-major, sizes multiples of 64. Prints
// "cycles: N": from the first tile to the moment the last result is in global memory. Exit code 2
// when the sizes are no multiples of the tile.
#include <matrix_unit.h>
#include <spawn.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"

GEMM_ARGUMENTS(arguments);

constexpr unsigned kUnit = 0;
constexpr unsigned kTile = 64;  // what a CISC command moves and computes
constexpr unsigned kBlocks = kTile / MATRIX_UNIT_DIM;
constexpr unsigned kBytes = sizeof(float);

// The k tiles of one output tile. Load k runs while tile k - 1 is computed, because the fence
// between the load and the compute command waits for both. Loads take one loop slot, computes the
// other.
static inline void multiply_tile(unsigned a, unsigned b, unsigned n, unsigned k) {
  matrix_unit_loop_stride_ab(kUnit, k, n);  // counts for all loads of this output tile
  for (unsigned tile = 0; tile < k / kTile; ++tile) {
    matrix_unit_loop_address_ab(kUnit, a, b);
    const bool odd = (tile & 1) != 0;
    matrix_unit_cisc(kUnit, odd ? MATRIX_UNIT_Q_LOAD_1 : MATRIX_UNIT_Q_LOAD_0);
    matrix_unit_fence(kUnit);
    if (tile == 0)
      matrix_unit_cisc(kUnit, MATRIX_UNIT_Q_COMPUTE_0);
    else if (odd)
      matrix_unit_cisc(kUnit, MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE);
    else
      matrix_unit_cisc(kUnit, MATRIX_UNIT_Q_COMPUTE_0_ACCUMULATE);
    a += kTile * kBytes;
    b += kTile * n * kBytes;
  }
  // busy is seen two cycles late: as in the published kernel, look four times.
  for (unsigned i = 0; i < 4; ++i) matrix_unit_fence(kUnit);
}

// The accumulator to global memory. It is not waited for: the first load of the next output tile
// runs beside it, and the fence behind that load is in front of the compute that overwrites the
// accumulator.
static inline void store_tile(unsigned c, unsigned n) {
  matrix_unit_loop_bounds(kUnit, kBlocks, kBlocks, kBlocks);
  matrix_unit_loop_address_dc(kUnit, 0, c);
  matrix_unit_loop_stride_dc(kUnit, 0, n);
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
  for (unsigned i = 0; i < m; i += kTile) {
    for (unsigned j = 0; j < n; j += kTile) {
      multiply_tile(a + i * k * kBytes, b + j * kBytes, n, k);
      store_tile(c + (i * n + j) * kBytes, n);
    }
  }
  for (unsigned i = 0; i < 4; ++i) matrix_unit_fence(kUnit);
  MARK_END();
  return simt_cycle() - begin;
}

static void kernel(unsigned, void*) {
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
  if (!gemm_sizes_fit(arguments, kTile)) return 2;
  spawn_tasks(spawn_threads(), kernel, nullptr);
  return 0;
}
