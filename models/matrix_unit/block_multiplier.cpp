// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/block_multiplier.h"

#include "models/numeric/convert.h"

namespace spica::matrix_unit {

/// The elements of a block, in the order of memory.
void BlockMultiplier::widen(const OperandBlock& block, float* to) const {
  const unsigned elements = dim_ * depth();
  if (operand_ == numeric::Format::kFp32) std::memcpy(to, block.data(), elements * sizeof(float));
  else numeric::decode(operand_, block.data(), elements, to);
}

/// Words of B have their elements side by side; each becomes an element of a row of its own.
void BlockMultiplier::widen_weights() {
  is_wide_ = true;
  if (macs_per_cell_ == 1) return widen(weights_[active_], b_.data());
  widen(weights_[active_], a_.data());
  for (unsigned row = 0; row < dim_; ++row)
    for (unsigned column = 0; column < dim_; ++column)
      for (unsigned i = 0; i < macs_per_cell_; ++i)
        b_[(row * macs_per_cell_ + i) * dim_ + column] = a_[(row * dim_ + column) * macs_per_cell_ + i];
}

}  // namespace spica::matrix_unit
