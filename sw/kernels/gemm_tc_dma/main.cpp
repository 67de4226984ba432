// SPDX-License-Identifier: Apache-2.0
// C = A * B with the tensor cores inside the SIMT cores and the matrix unit's DMA (Ampere style).
// FP32, output tiles of 64 x 64 in k blocks of 64, 16 x 8 of a tile per warp, all 32 warps.
//
// Shows: thread 0 starts the load of block t + 1 before the warps multiply block t and polls the
// unit afterwards; two barriers per k block. A lies in quarters 0 and 1 of shared memory, B in
// quarters 2 and 3.
//
// A comes column-major (k rows of m elements), as in the published runs. The DMA writes what it
// loads in blocks of 8 x 8. Of a row-major A the lanes of a warp, a row each, would load words that
// lie in one word bank, one after the other through the unaligned path: 8 cycles for each of the
// loads of the cluster, an order of magnitude more than the multiplications. Of a column-major A,
// as of B, they load eight words side by side. Both tiles are 64 x 64, what one CISC command loads.
//
// Arguments: gemm_common/gemm_arguments.h, A column-major, B and C row-major, sizes multiples
// of 64. Prints "cycles: N": from the first tile to the moment the last result is in global memory.
// Exit code 2: sizes, or a machine without 256 threads in warps of 8.
#include <matrix_unit.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"
#include "sw/kernels/gemm_common/warp_tile.h"

GEMM_ARGUMENTS(arguments);

constexpr unsigned kUnit = 0;

// The driver starts a load. `a`, `b`: addresses of the blocks, m and n: lengths of their rows. The
// addresses and strides go to the slot of this loop, so they are given every time.
static inline void start_load(unsigned a, unsigned b, unsigned m, unsigned n, unsigned buffer) {
  matrix_unit_loop_address_ab(kUnit, a, b);
  matrix_unit_loop_stride_ab(kUnit, m, n);
  matrix_unit_cisc(kUnit, buffer != 0 ? MATRIX_UNIT_Q_LOAD_1 : MATRIX_UNIT_Q_LOAD_0);
}

static void kernel(unsigned thread, void*) {
  const unsigned m = arguments.m, n = arguments.n, blocks = arguments.k / kTile;
  const unsigned a_row = m * kWordBytes, b_row = n * kWordBytes;
  const unsigned a = static_cast<unsigned>(arguments.a), b = static_cast<unsigned>(arguments.b);
  const unsigned c = static_cast<unsigned>(arguments.c);
  const unsigned driver = thread == 0, warps = simt_warps();
  const WarpTile part(thread);

  SIMT_IF(driver)
    matrix_unit_config_execute(kUnit);
    matrix_unit_config_load(kUnit, 0, a_row);
    matrix_unit_config_load(kUnit, 1, b_row);
    matrix_unit_config_store(kUnit, b_row);
    matrix_unit_fence(kUnit);
  SIMT_END_IF

  const unsigned begin = simt_cycle();
  MARK_BEG();
  for (unsigned i = 0; i < m; i += kTile) {
    for (unsigned j = 0; j < n; j += kTile) {
      const unsigned tile_a = a + i * kWordBytes, tile_b = b + j * kWordBytes;
      WarpTile::clear();
      SIMT_IF(driver)
        start_load(tile_a, tile_b, m, n, 0);
        matrix_unit_fence(kUnit);
      SIMT_END_IF
      for (unsigned block = 0; block < blocks; ++block) {
        const unsigned loads = driver & (block + 1 < blocks);
        SIMT_IF(loads)
          start_load(tile_a + (block + 1) * kTile * a_row, tile_b + (block + 1) * kTile * b_row, m,
                     n, (block + 1) & 1);
        SIMT_END_IF
        simt_barrier(0, warps);
        part.multiply<BlocksOfEight>(shared_a(block & 1), shared_b(block & 1));
        SIMT_IF(driver)
          matrix_unit_fence(kUnit);
        SIMT_END_IF
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
