// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spica::base {
enum class HostCode : unsigned char;  // host_dispatch.h
}

namespace spica::matrix_unit {

/// The arithmetic of one block operation, in bulk and bit-exact: for each element a chain of FP32 fused multiply-adds
/// from 0 in the order of k, then one FP32 addition to the sum in the accumulator. Operands in other formats are first
/// widened exactly. NaN sums are canonical (0x7FC00000). The host must round to nearest even.
struct ArrayKernels {
  /// `out[i][j]` = chain over k < depth of `a[i][k] * b[k][j]`; a has DIM rows, b and out have DIM columns.
  void (*multiply)(const float* a, const float* b, unsigned depth, float* out);
  void (*add)(float* sums, const float* partial, unsigned count);
  void (*set)(float* sums, const float* partial, unsigned count);
  /// The same for sums of 32-bit integers, modulo 2^32; `partial` are integers that FP32 represents exactly, as chains
  /// over the words of a block always are.
  void (*add_integers)(float* sums, const float* partial, unsigned count);
  void (*set_integers)(float* sums, const float* partial, unsigned count);
};

/// The fastest kernels of this host for `dim` (2, 4, 8, 16, 32); other sizes: nullptr members.
const ArrayKernels& array_kernels(unsigned dim);
/// Kernels of a given version, for tests; the host must support it.
const ArrayKernels& array_kernels(unsigned dim, base::HostCode code);

}  // namespace spica::matrix_unit
