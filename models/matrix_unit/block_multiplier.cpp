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

/// A chain for each scaled block, times its scales; of several the sum, in sequence. The block with the scales
/// is not an operand: zeros.
void BlockMultiplier::multiply_scaled(const BlockWork& work, const OperandBlock& a, float* out) {
  const unsigned count = dim_ * dim_;
  std::fill(out, out + count, 0.0f);
  if (work.first_of_k) return scales_.keep_a(work, a.data());
  if (!is_wide_) widen_weights();
  widen(a, a_.data());
  constexpr unsigned kBlock = MatrixUnitParams::kScaledBlock;
  float *const sums = part_.data(), *const part = sums + count;
  for (unsigned block = 0; block < scaled_blocks_; ++block) {
    for (unsigned row = 0; row < dim_; ++row)
      std::copy_n(&a_[row * depth() + block * kBlock], kBlock, part + row * kBlock);
    kernels_.multiply(part, &b_[std::size_t{block} * kBlock * dim_], kBlock, sums);
    scales_.apply(work, of_weights_[active_], block, sums);
    if (block == 0) std::copy_n(sums, count, out);
    else kernels_.add(out, sums, count);
  }
}

}  // namespace spica::matrix_unit
