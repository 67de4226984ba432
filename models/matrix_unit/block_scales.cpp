// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/block_scales.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/numeric/block_format.h"

namespace spica::matrix_unit {

namespace {

/// Exponent of what an element of 1 means: below 0 for MXINT8 only.
int unit_of(numeric::Format element) {
  for (const numeric::BlockFormatInfo& format : numeric::kBlockFormats)
    if (format.element == element) return format.unit;
  return 0;
}

}  // namespace

BlockScales::BlockScales(const MatrixUnitParams& p)
    : dim_(static_cast<std::uint32_t>(p.dim)),
      row_bytes_(p.row_bytes()),
      per_operation_(p.scaled_blocks()),
      unit_(2 * unit_of(p.operand)),
      a_(p.block_scales ? p.tile_m * p.row_bytes() : 0),
      b_(p.block_scales ? p.tile_n * p.row_bytes() : 0) {}

void BlockScales::keep_a(const BlockWork& work, const unsigned char* rows) {
  const std::size_t bytes = std::size_t{dim_} * row_bytes_;
  std::memcpy(&a_[work.block_across * bytes % a_.size()], rows, bytes);
}

void BlockScales::keep_b(const BlockWork& work, const unsigned char* rows) {
  const std::uint32_t word = row_bytes_ / dim_;
  unsigned char* const to = &b_[std::size_t{work.block_across} * dim_ * row_bytes_ % b_.size()];
  for (std::uint32_t column = 0; column < dim_; ++column)
    for (std::uint32_t row = 0; row < dim_; ++row)
      std::memcpy(to + column * row_bytes_ + row * word, rows + row * row_bytes_ + column * word, word);
}

void BlockScales::apply(const BlockWork& a, const BlockWork& b, unsigned scaled_block, float* sums) const {
  for (std::uint32_t i = 0; i < dim_; ++i) {
    const std::uint8_t of_row = scale(a_, a.block_across, i, number(a, scaled_block));
    for (std::uint32_t j = 0; j < dim_; ++j) {
      const std::uint8_t of_column = scale(b_, b.block_across, j, number(b, scaled_block));
      float& sum = sums[i * dim_ + j];
      if (of_row == numeric::kScaleNan || of_column == numeric::kScaleNan) {
        sum = std::numeric_limits<float>::quiet_NaN();
        continue;
      }
      // Exact in double precision: the one rounding is that to FP32.
      const int exponent = of_row + of_column - 2 * numeric::kScaleBias + unit_;
      sum = static_cast<float>(std::ldexp(static_cast<double>(sum), exponent));
    }
  }
}

void BlockScales::reset() {
  std::fill(a_.begin(), a_.end(), static_cast<unsigned char>(0));
  std::fill(b_.begin(), b_.end(), static_cast<unsigned char>(0));
}

}  // namespace spica::matrix_unit
