// SPDX-License-Identifier: Apache-2.0
// A matrix product on one matrix unit with its DMA, as the one thread that drives the unit does it:
// while the unit computes on one pair of tiles in shared memory the DMA loads the next pair.
//
// Compiled for each machine (DEFINES in sw/CMakeLists.txt):
//   GEMM_TILE_M, _N, _K   the tile that one CISC command moves and computes
//   GEMM_COMMANDS         QUARTILE_V1, QUARTILE (12-bit strides) or HEXADECILE
//   MATRIX_UNIT_DIM, MATRIX_UNIT_ELEMENT_BYTES, PLATFORM_SHARED_SIZE
#pragma once

#include <matrix_unit.h>

#include "sw/kernels/gemm_common/reshaped_operands.h"

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

#if GEMM_COMMANDS == HEXADECILE
BUILT_FOR_WORD("matrix_unit.command_set", "hexadecile");
#elif GEMM_COMMANDS == QUARTILE
BUILT_FOR_WORD("matrix_unit.command_set", "quartile");
#else  // row lengths are given in another way
BUILT_FOR_WORD("matrix_unit.command_set", "quartile_v1|quartile");
#endif

namespace unit_gemm {

// Where gcc inlines decides which registers it takes in the k loop; a few instructions more there
// show.
#if GEMM_COMMANDS == HEXADECILE
#define UNIT_GEMM_INLINE static inline
#else
#define UNIT_GEMM_INLINE __attribute__((always_inline)) static inline
#endif

constexpr unsigned kBytes = MATRIX_UNIT_ELEMENT_BYTES;

// Where the tiles are and how the unit gets its commands. CommandTiles: all of shared memory, by CISC
// commands. In quarters A tiles lie at the start of 0 and 1, B tiles end with 2 and 3. In
// sixteenths A tiles lie at the start of 0 and 4, B tiles end with 11 and 15.
template <unsigned first_buffer>
struct CommandTilesFrom {
  static constexpr unsigned kUnit = 0, kDim = MATRIX_UNIT_DIM;
  static constexpr unsigned kTileM = GEMM_TILE_M, kTileN = GEMM_TILE_N, kTileK = GEMM_TILE_K;
  static constexpr unsigned kFirstBuffer = first_buffer;  // of an output tile
  static constexpr bool kHexadecile = GEMM_COMMANDS == HEXADECILE;
  static constexpr unsigned kLongestRow = MATRIX_UNIT_H_STRIDE_MASK;  // that a CISC command can name

  // Row lengths of A and B, for the slot of the next loop. Revision v1 has 8 bits for them in a
  // CISC command, which is not enough for most matrices.
  static void set_row_lengths(unsigned k, unsigned n) {
    if (GEMM_COMMANDS == QUARTILE_V1 || k > kLongestRow || n > kLongestRow)
      matrix_unit_loop_stride_ab(kUnit, k, n);
    else if (GEMM_COMMANDS == QUARTILE) matrix_unit_q_stride_ab(kUnit, k, n);
    else matrix_unit_h_stride_ab(kUnit, k, n);
  }
  // Once for each output tile, before its loads.
  static void begin(unsigned k, unsigned n) {
    if (GEMM_COMMANDS == QUARTILE_V1) set_row_lengths(k, n);
  }
  static void load(unsigned, bool odd, unsigned k, unsigned n) {
    if (GEMM_COMMANDS != QUARTILE_V1) set_row_lengths(k, n);
    if (kHexadecile) matrix_unit_h_load(kUnit, odd ? 4 : 0, odd ? 15 : 11);
    else matrix_unit_cisc(kUnit, odd ? MATRIX_UNIT_Q_LOAD_1 : MATRIX_UNIT_Q_LOAD_0);
  }
  // Tile 0 overwrites the accumulator.
  UNIT_GEMM_INLINE void compute(unsigned tile, bool odd) {
    if (kHexadecile) matrix_unit_h_compute(kUnit, odd ? 4 : 0, odd ? 15 : 11, tile != 0);
    else if (tile == 0)
      matrix_unit_cisc(kUnit, first_buffer != 0 ? MATRIX_UNIT_Q_COMPUTE_1 : MATRIX_UNIT_Q_COMPUTE_0);
    else if (odd) matrix_unit_cisc(kUnit, MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE);
    else matrix_unit_cisc(kUnit, MATRIX_UNIT_Q_COMPUTE_0_ACCUMULATE);
  }
  // Called when the unit has begun to compute on a tile, before the load of the next one.
  static void computing(unsigned) {}
  UNIT_GEMM_INLINE void store(unsigned n) {
    if (kHexadecile && n <= kLongestRow) matrix_unit_h_stride_dc(kUnit, 0, n);
    else matrix_unit_loop_stride_dc(kUnit, 0, n);
    if (kHexadecile) matrix_unit_h_store(kUnit);
    else matrix_unit_loop(kUnit, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0);
  }
};
using CommandTiles = CommandTilesFrom<0>;

// busy is seen two cycles late: as in the published kernel, look four times.
template <class Tiles>
static inline void wait_until_idle() {
  for (unsigned i = 0; i < 4; ++i) matrix_unit_fence(Tiles::kUnit);
}

// One k tile of an output tile; the buffers are taken in turn. Load k runs while tile k - 1 is computed,
// because the fence between the load and the compute command waits for both. Loads take one loop slot, computes
// the other, so that row lengths count for all loads of this output tile.
template <class Tiles>
UNIT_GEMM_INLINE void multiply_step(unsigned tile, unsigned a, unsigned b, unsigned ldb, unsigned lda) {
  matrix_unit_loop_address_ab(Tiles::kUnit, a, b);
  const bool odd = ((tile + Tiles::kFirstBuffer) & 1) != 0;
  Tiles::load(tile, odd, lda, ldb);
  matrix_unit_fence(Tiles::kUnit);
  Tiles::compute(tile, odd);
}

// All k tiles of an output tile.
template <class Tiles>
static inline void multiply_tile(unsigned a, unsigned b, unsigned n, unsigned k) {
  Tiles::begin(k, n);
  for (unsigned tile = 0; tile < k / Tiles::kTileK; ++tile) {
    multiply_step<Tiles>(tile, a, b, n, k);
    a += Tiles::kTileK * kBytes;
    b += Tiles::kTileK * n * kBytes;
    Tiles::computing(tile);
  }
  wait_until_idle<Tiles>();
}

// The same with rows of A and B that many elements apart in memory; `column_of_a` is where element k of a row of A
// is.
template <class Tiles, class ColumnOfA>
static inline void multiply_strided_tile(unsigned a, unsigned b, unsigned ldb, unsigned lda, unsigned k,
                                         ColumnOfA column_of_a) {
  Tiles::begin(lda, ldb);
  for (unsigned tile = 0; tile < k / Tiles::kTileK; ++tile) {
    multiply_step<Tiles>(tile, a + OperandA::at(0, column_of_a(tile * Tiles::kTileK), lda), b, ldb, lda);
    b += OperandB::at(Tiles::kTileK, 0, ldb);
    Tiles::computing(tile);
  }
  wait_until_idle<Tiles>();
}

// The accumulator to global memory. It is not waited for: the first load of the next output tile
// runs at the same time, and the fence behind that load is in front of the compute that overwrites the
// accumulator.
template <class Tiles>
static inline void store_tile(unsigned c, unsigned ldc) {
  if (GEMM_COMMANDS != HEXADECILE)
    matrix_unit_loop_bounds(Tiles::kUnit, Tiles::kTileM / Tiles::kDim, Tiles::kTileN / Tiles::kDim,
                            Tiles::kTileK / Tiles::kDim);
  matrix_unit_loop_address_dc(Tiles::kUnit, 0, c);
  Tiles::store(ldc);
}

// Before the first tile: elements from row to row of C, B and A.
template <class Tiles>
static inline void configure_moves(unsigned ldc, unsigned ldb, unsigned lda) {
  matrix_unit_config_load_of(Tiles::kUnit, Tiles::kDim, 0, lda * kBytes);
  matrix_unit_config_load_of(Tiles::kUnit, Tiles::kDim, 1, ldb * kBytes);
  matrix_unit_config_store(Tiles::kUnit, ldc * kBytes);
  matrix_unit_fence(Tiles::kUnit);
}
#ifdef GEMM_RESHAPED
// The same of operands that the DMA brings into another form.
template <class Tiles>
static inline void configure_moves(volatile const GemmArguments& arguments, unsigned ldc, unsigned ldb,
                                   unsigned lda) {
  OperandA::configure(Tiles::kUnit, Tiles::kDim, 0, lda, arguments.scale_a);
  OperandB::configure(Tiles::kUnit, Tiles::kDim, 1, ldb, arguments.scale_b);
  matrix_unit_config_store(Tiles::kUnit, ldc * kBytes);
  matrix_unit_fence(Tiles::kUnit);
}
#endif
template <class Tiles>
static inline void configure(unsigned ldc, unsigned ldb, unsigned lda) {
  matrix_unit_config_execute(Tiles::kUnit);
  configure_moves<Tiles>(ldc, ldb, lda);
}

}  // namespace unit_gemm
