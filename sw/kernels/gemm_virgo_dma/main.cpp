// SPDX-License-Identifier: Apache-2.0
// C = A * B with the cluster's matrix unit and its DMA, FP32, tiles of 64 x 64 x 64.
//
// Shows: one hardware thread (thread 0 of core 0) drives the unit; while the unit computes on one
// pair of tiles in shared memory the DMA loads the next pair. Revision v1 (quartile commands): A
// tiles lie in quarters 0 and 1 of shared memory, B tiles in quarters 2 and 3.
//
// Argument block (as in the published GEMM kernels):
//    0  u32 m, n, k     multiples of 64
//   12  u32             not used
//   16  u64 a, b, c     addresses of A (m x k), B (k x n), C (m x n), row-major FP32
// The data of A and B come with the loader. Prints "cycles: N": from the first tile to the moment
// the last result is in global memory. Exit code 2 when the sizes are no multiples of the tile.
#include <arguments.h>
#include <matrix_unit.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

struct Arguments {
  uint32_t m, n, k, unused;
  uint64_t a, b, c;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {
    256, 256, 256, 0, PLATFORM_OPERAND_A, PLATFORM_OPERAND_B, PLATFORM_RESULT};

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
  if (((arguments.m | arguments.n | arguments.k) % kTile) != 0) {
    if (simt_core() == 0)
      printf("sizes %u x %u x %u must be multiples of %u\n", static_cast<unsigned>(arguments.m),
             static_cast<unsigned>(arguments.n), static_cast<unsigned>(arguments.k), kTile);
    return 2;
  }
  spawn_tasks(spawn_threads(), kernel, nullptr);
  return 0;
}
