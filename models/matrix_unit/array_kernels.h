// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::base {
enum class HostCode : unsigned char;  // host_dispatch.h
}

namespace spica::matrix_unit {

/// The arithmetic of one block operation, in bulk. Bit for bit what the array does: for each
/// element a chain of DIM FP32 fused multiply-adds from 0 in the order of k, then one FP32 addition
/// to the sum in the accumulator. FP16 operands are widened exactly. NaN sums are canonical
/// (0x7FC00000). Round to nearest even must be in force.
struct ArrayKernels {
  /// `out[i][j]` = chain over k of `a[i][k] * b[k][j]`; a and b are DIM rows of DIM operand
  /// elements.
  void (*multiply)(const unsigned char* a, const unsigned char* b, float* out);
  void (*add)(float* sums, const float* partial, unsigned count);
  void (*set)(float* sums, const float* partial, unsigned count);
};

/// Kernels for `dim` (2, 4, 8, 16, 32), the fastest that this host runs; nullptr members for other sizes.
const ArrayKernels& array_kernels(unsigned dim, OperandFormat operand);
/// Of a given version, for tests; one that the host runs.
const ArrayKernels& array_kernels(unsigned dim, OperandFormat operand, base::HostCode code);

}  // namespace spica::matrix_unit
