// SPDX-License-Identifier: Apache-2.0
// A and B in global memory in another form than the unit takes, for kernels that declare it by a note "gemm.reshaped":
// the DMA converts their elements, multiplied by a scale of the argument block, and transposes them as it loads
// (cluster.dma.scale_units, cluster.dma.transposer). Compiled with GEMM_RESHAPED, and for each of A and B as needed
//   GEMM_A_FORMAT, GEMM_A_WORD_BITS   format in memory, for example FP8_E4M3, and what a word of the unit takes there
//   GEMM_OPERAND_FORMAT                what it becomes
//   GEMM_A_TRANSPOSED                  rows of memory are columns of the matrix
// Without GEMM_RESHAPED the functions below are those of matrices as they are.
#pragma once

#include <matrix_unit.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"

#define GEMM_FORMAT_CODE_(name) MATRIX_UNIT_FORMAT_##name
#define GEMM_FORMAT_CODE(name) GEMM_FORMAT_CODE_(name)

/// Where words are in memory, and how the DMA brings them. `word_bits`: there; `format`: there, 0 for none of its own.
template <unsigned word_bits, unsigned format, bool is_transposed>
struct ReshapedOperand {
  /// Size of `words` words, in whole bytes.
  static constexpr unsigned bytes(unsigned words) {
    return word_bits % 8 == 0 ? words * (word_bits / 8) : words * word_bits / 8;
  }
  /// From the first word to that in this row and column; `leading`: words from row to row of memory.
  static constexpr unsigned at(unsigned row, unsigned column, unsigned leading) {
    return bytes(is_transposed ? column * leading + row : row * leading + column);
  }
  /// Words of a row of memory of a matrix of `rows` rows and `columns` columns.
  static constexpr unsigned row(unsigned rows, unsigned columns) { return is_transposed ? rows : columns; }
  /// For all loads from then on; state 0: A, 1: B.
  static void configure(unsigned unit, unsigned dim, unsigned state, unsigned leading, float scale) {
#ifdef GEMM_OPERAND_FORMAT
    constexpr unsigned kTo = format == 0 ? 0 : GEMM_FORMAT_CODE(GEMM_OPERAND_FORMAT);
#else
    constexpr unsigned kTo = 0;
#endif
    matrix_unit_config_load_as(unit, dim, state, bytes(leading), format, kTo, scale, is_transposed);
  }
};

#ifdef GEMM_A_FORMAT
constexpr unsigned kFormatA = GEMM_FORMAT_CODE(GEMM_A_FORMAT), kWordBitsA = GEMM_A_WORD_BITS;
#else
constexpr unsigned kFormatA = 0, kWordBitsA = 8 * MATRIX_UNIT_ELEMENT_BYTES;
#endif
#ifdef GEMM_B_FORMAT
constexpr unsigned kFormatB = GEMM_FORMAT_CODE(GEMM_B_FORMAT), kWordBitsB = GEMM_B_WORD_BITS;
#else
constexpr unsigned kFormatB = 0, kWordBitsB = 8 * MATRIX_UNIT_ELEMENT_BYTES;
#endif
#ifdef GEMM_A_TRANSPOSED
constexpr bool kTransposedA = true;
#else
constexpr bool kTransposedA = false;
#endif
#ifdef GEMM_B_TRANSPOSED
constexpr bool kTransposedB = true;
#else
constexpr bool kTransposedB = false;
#endif

using OperandA = ReshapedOperand<kWordBitsA, kFormatA, kTransposedA>;
using OperandB = ReshapedOperand<kWordBitsB, kFormatB, kTransposedB>;
