// SPDX-License-Identifier: Apache-2.0
// How the DMA brings the operands of the FP16 tensor-core kernels: as k blocks of 128 x 128 of A and
// 128 x 64 of B, for one output tile after the other, the next block while the warps multiply one. The
// last block of a tile brings the first one of the next tile, so only the first load of all is waited
// for. The load behind the last block of the last tile is not used.
//
// A lies at the start of quarters 0 and 1 of shared memory, B ends with quarters 2 and 3, in turn. A and B
// are row-major but for an exchange of elements inside small squares, of which DMA and strides know nothing.
//
// To be included behind GEMM_ARGUMENTS(arguments).
//
//   -DGEMM_QUARTILE   quartile commands, as the published kernels give them; else hexadecile commands
#pragma once

#include <matrix_unit.h>

#include "sw/kernels/gemm_common/reshaped_operands.h"

#ifdef GEMM_RESHAPED
BUILT_FOR("gemm.reshaped", 1);
#endif
#ifdef GEMM_QUARTILE
BUILT_FOR_WORD("matrix_unit.command_set", "quartile");
#else
BUILT_FOR_WORD("matrix_unit.command_set", "hexadecile");
#endif

// `tile_m`, `tile_n`: of an output tile, `tile_k`: of a block.
template <unsigned tile_m, unsigned tile_n, unsigned tile_k>
class BlockLoads {
 public:
  // Addresses and sizes in elements.
  BlockLoads(unsigned a, unsigned b, unsigned m, unsigned n, unsigned k)
      : a_(a), b_(b), m_(m), n_(n), k_(k) {}

  // The functions below are the driver's.
  __attribute__((always_inline)) void configure() const {
    matrix_unit_config_execute(kUnit);
#ifdef GEMM_RESHAPED
    OperandA::configure(kUnit, MATRIX_UNIT_DIM, 0, k_, arguments.scale_a);
    OperandB::configure(kUnit, MATRIX_UNIT_DIM, 1, n_, arguments.scale_b);
#else
    matrix_unit_config_load(kUnit, 0, k_ * kBytes);
    matrix_unit_config_load(kUnit, 1, n_ * kBytes);
#endif
    matrix_unit_config_store(kUnit, n_ * kBytes);
    matrix_unit_fence(kUnit);
  }
  // The first block of all.
  __attribute__((always_inline)) void first(unsigned i, unsigned j) const {
    start(i, j, 0, 0);
    matrix_unit_fence(kUnit);
  }
  // Starts the load of what follows block `k` of the tile at row i and column j; all in elements.
  __attribute__((always_inline)) void next(unsigned i, unsigned j, unsigned k, unsigned buffer) const {
    k += tile_k;
    j = simt_opaque(j);
    if (k == k_) {
      k = 0;
      j += tile_n;
      if (j == n_) {
        j = 0;
        i += tile_m;
        if (i == m_) i = 0;
      }
    }
    start(i, j, k, buffer);
  }
  __attribute__((always_inline)) static void wait() { matrix_unit_fence(kUnit); }

 private:
  static constexpr unsigned kUnit = 0, kBytes = 2;

  // Addresses and strides go to the slot of this loop, so they are given every time. Strides of more than
  // 12 bits take the registers.
  __attribute__((always_inline)) void start(unsigned i, unsigned j, unsigned k, unsigned buffer) const {
    const unsigned a_row = simt_opaque(k_), b_row = simt_opaque(n_);
    matrix_unit_loop_address_ab(kUnit, a_ + OperandA::at(i, k, a_row), b_ + OperandB::at(k, j, b_row));
    if ((a_row | b_row) > MATRIX_UNIT_H_STRIDE_MASK) matrix_unit_loop_stride_ab(kUnit, a_row, b_row);
#ifdef GEMM_QUARTILE
    else matrix_unit_q_stride_ab(kUnit, a_row, b_row);
    matrix_unit_fence(kUnit);
    matrix_unit_cisc(kUnit, buffer != 0 ? MATRIX_UNIT_Q_LOAD_1 : MATRIX_UNIT_Q_LOAD_0);
#else
    else matrix_unit_h_stride_ab(kUnit, a_row, b_row);
    matrix_unit_fence(kUnit);
    matrix_unit_h_load(kUnit, 4 * buffer, 4 * buffer + 11);  // sixteenths of shared memory
#endif
  }

  unsigned a_, b_, m_, n_, k_;
};
