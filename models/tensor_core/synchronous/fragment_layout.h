// SPDX-License-Identifier: Apache-2.0
// The elements of the 8x8 tiles held by each lane (vortex core/VX_tensor_core.sv). Lanes 0..7, steps 0..3, substeps
// 0..1.
#pragma once

namespace spica::tensor_core {

/// A: lane r holds row r; its i-th register holds word i of k. B: lane c holds column c in the same way. A word is one
/// FP32 or two FP16 elements, the even k in the low half.

/// Row of the element of C and D that `lane` holds in accumulator register 2 * step + substep.
constexpr unsigned accumulator_row(unsigned lane, unsigned step) {
  return 4 * (lane / 4) + lane % 2 + 2 * (step & 1);
}
/// The column of that element.
constexpr unsigned accumulator_column(unsigned lane, unsigned step, unsigned substep) {
  return 2 * (lane % 4 / 2) + substep + 4 * (step >> 1);
}

}  // namespace spica::tensor_core
