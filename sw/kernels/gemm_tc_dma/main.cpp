// SPDX-License-Identifier: Apache-2.0
// C = A * B with the tensor cores inside the SIMT cores and the matrix unit's DMA (Ampere style).
// 16 x 8 of a tile per warp. FP32 (gemm_tc_dma, quartile commands) or FP16 with FP32 sums
// (gemm_fp16_ampere, hexadecile commands; with -DGEMM_QUARTILE gemm_fp16_ampere_quartile, quartile
// commands of 12-bit strides, as the published kernels give them); gemm_common/tile_shape.h has the tiles.
//
// Shows: thread 0 starts the load of block t + 1 before the warps multiply block t and polls the
// unit afterwards; two barriers per k block. A lies in quarters 0 and 1 of shared memory, B in
// quarters 2 and 3.
//
// A comes column-major (k rows of m elements), as in the published runs. The DMA writes what it
// loads in blocks of 8 x 8. Of a row-major A the lanes of a warp, a row each, would load words that
// lie in one word bank, one after the other through the unaligned path: 8 cycles for each of the
// loads of the cluster, an order of magnitude more than the multiplications. Of a column-major A,
// as of B, they load eight words side by side.
//
// FP16: a word must hold two elements of k, so A (B) has a row of m (n) words for each pair of k.
// The commands load 128 rows of 128 (64) elements, where one block of k has 64 rows of 256 (128).
// So the row stride given to them is half a row of the matrix: they load half the words of each row
// from its first half and the others from its second. An output tile is two strips of 64 rows,
// m / 2 apart, by two strips of 32 columns, n / 2 apart.
//
// With -DGEMM_SWISH (gemm_tc_dma_swish, FP32): C = swish(A * B). The warps are specialised: four of
// each core multiply, on tiles of 64 x 32; the other four activate in global memory the tile that the
// first ones have finished. Each group has half of the warps at its barriers; at barrier 1 both meet,
// once per tile.
//
// Arguments: gemm_common/gemm_arguments.h, A column-major, B and C row-major (FP16: A and B in
// words, as above), sizes multiples of the tile. Prints "cycles: N": from the first tile to the
// moment the last result is in global memory. Exit code 2: sizes, or a machine with another number
// of threads.
#include <matrix_unit.h>
#include <stdlib.h>

#include "sw/kernels/gemm_common/swish.h"
#include "sw/kernels/gemm_common/tensor_gemm.h"

GEMM_ARGUMENTS(arguments);
#ifndef GEMM_FP16
BUILT_FOR_WORD("matrix_unit.command_set", "quartile_v1|quartile");
#endif

constexpr unsigned kUnit = 0;
using TileA = Blocks<kTileM>;
using TileB = Blocks<kTileN>;
constexpr unsigned kStrips = TileA::kStrips;

// The driver starts a load. `a`, `b`: addresses of the blocks, m and n: strides of the rows to
// load, in elements. The addresses and strides go to the slot of this loop, so they are given every
// time.
static inline void start_load(unsigned a, unsigned b, unsigned m, unsigned n, unsigned buffer) {
  matrix_unit_loop_address_ab(kUnit, a, b);
#ifdef GEMM_FP16
  // Strides of more than 12 bits take the registers.
  if ((m | n) > MATRIX_UNIT_H_STRIDE_MASK) matrix_unit_loop_stride_ab(kUnit, m, n);
#ifdef GEMM_QUARTILE
  else matrix_unit_q_stride_ab(kUnit, m, n);
  matrix_unit_cisc(kUnit, buffer != 0 ? MATRIX_UNIT_Q_LOAD_1 : MATRIX_UNIT_Q_LOAD_0);
#else
  else matrix_unit_h_stride_ab(kUnit, m, n);
  matrix_unit_h_load(kUnit, 4 * buffer, 4 * buffer + 11);  // sixteenths of shared memory
#endif
#else
  matrix_unit_loop_stride_ab(kUnit, m, n);
  if constexpr (kTileN != kTileM) {  // there is no command for such a tile
    constexpr unsigned kRows = kQuarterBytes / (MATRIX_UNIT_DIM * kWordBytes);
    matrix_unit_loop_bounds(kUnit, kTileWords / MATRIX_UNIT_DIM, kTileN / MATRIX_UNIT_DIM,
                            kTileM / MATRIX_UNIT_DIM);
    matrix_unit_loop_spad_ab(kUnit, buffer * kRows, (3 + buffer) * kRows);
    matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_LOAD_ONLY, 0, 0);
    return;
  }
  matrix_unit_cisc(kUnit, buffer != 0 ? MATRIX_UNIT_Q_LOAD_1 : MATRIX_UNIT_Q_LOAD_0);
#endif
}

#ifdef GEMM_SWISH
constexpr unsigned kFinished = 1;  // barrier of all warps: a tile is in global memory

// The second group; `thread`: number in it. A thread activates a column of the part of a tile that
// the warp of its number has computed, on the same core.
static void activate_tiles(unsigned thread) {
  const unsigned m = arguments.m, n = arguments.n, row = n * kWordBytes, warps = simt_warps();
  const WarpTile part(thread);
  const unsigned c = static_cast<unsigned>(arguments.c) + part.row() * row +
                     (part.column() + thread % kWarpThreads) * kWordBytes;
  for (unsigned i = 0; i < m; i += kTileM) {
    for (unsigned j = 0; j < n; j += kTileN) {
      const unsigned first = c + i * row + j * kWordBytes;
      const auto from = [&](unsigned y) {
        return reinterpret_cast<const volatile unsigned*>(first + y * row);
      };
      const auto to = [&](unsigned y) {
        return reinterpret_cast<volatile float*>(in_turn(first) + y * in_turn(row));
      };
      simt_barrier(kFinished, warps);
      activate<kPartRows>(from, to, true, [] {});
    }
  }
  simt_barrier(0, warps);  // as at the end of the first group
}
#endif

static void kernel(unsigned thread, void*) {
#ifdef GEMM_SWISH
  if (thread >= kThreads) {  // the same for all lanes of a warp
    activate_tiles(thread - kThreads);
    return;
  }
#endif
  const unsigned m = arguments.m, n = arguments.n, blocks = arguments.k / kTileK;
  const unsigned a_row = m * kWordBytes, b_row = n * kWordBytes;
  const unsigned a = static_cast<unsigned>(arguments.a), b = static_cast<unsigned>(arguments.b);
  const unsigned c = static_cast<unsigned>(arguments.c);
  const unsigned driver = thread == 0, all_warps = simt_warps(), warps = all_warps / kGroups;
  const WarpTile part(thread);

  SIMT_IF(driver)
    matrix_unit_config_execute(kUnit);
    matrix_unit_config_load(kUnit, 0, a_row / kStrips);
    matrix_unit_config_load(kUnit, 1, b_row / kStrips);
    matrix_unit_config_store(kUnit, b_row);
    matrix_unit_fence(kUnit);
  SIMT_END_IF

  TIMED_TILES(i, j, m, n)
  const unsigned first_row = i / kStrips, first_column = j / kStrips;
  const unsigned tile_a = a + first_row * kWordBytes, tile_b = b + first_column * kWordBytes;
  WarpTile::clear();
  SIMT_IF(driver)
    start_load(tile_a, tile_b, m, n, 0);
    matrix_unit_fence(kUnit);
  SIMT_END_IF
  for (unsigned block = 0; block < blocks; ++block) {
    const unsigned loads = driver & (block + 1 < blocks);
    SIMT_IF(loads)
      start_load(tile_a + (block + 1) * kTileWords * a_row, tile_b + (block + 1) * kTileWords * b_row, m, n,
                 (block + 1) & 1);
    SIMT_END_IF
    simt_barrier(0, warps);
    part.multiply<TileA, TileB>(shared_a(block & 1), shared_b(block & 1));
    SIMT_IF(driver)
      matrix_unit_fence(kUnit);
    SIMT_END_IF
    simt_barrier(0, warps);
  }
  part.store<TileA, TileB>(c + first_row * b_row + first_column * kWordBytes, b_row, m / kStrips,
                           n / kStrips);
#ifdef GEMM_SWISH
  simt_barrier(kFinished, all_warps);
#endif
  TIMED_TILES_END(driver, all_warps)
}

int main() { return run_tensor_gemm(arguments, kernel); }
