// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/rule_sums.h"

#include <algorithm>

#include "models/numeric/fused_dot.h"
#include "models/numeric/fused_parts.h"
#include "models/numeric/number.h"

namespace spica::matrix_unit {

namespace {

constexpr std::uint32_t kVector = 8;  // columns that numeric::add_fused_dot() takes at once
constexpr std::uint32_t kMostDim = 32, kMostDepth = 32 * 8;

}  // namespace

/// Operands taken apart, and sums as words. Rows of B and of the sums have at least kVector columns.
struct RuleSums::Buffers {
  struct alignas(32) Parts {
    float values[kMostDepth * kMostDim];
    std::int32_t exponents[kMostDepth * kMostDim];
  };
  Parts a, b;
  alignas(32) float wide[kMostDepth * kMostDim];  // B, with rows of that length
  alignas(32) std::uint32_t sums[kMostDim * kMostDim];
};

RuleSums::RuleSums(const numeric::SumRule& rule, const MatrixUnitParams& params)
    : rule_(rule),
      operand_(params.operand),
      dim_(static_cast<std::uint32_t>(params.dim)),
      depth_(params.block_depth()),
      buffers_(std::make_unique<Buffers>()) {}

RuleSums::~RuleSums() = default;

void RuleSums::add(const float* operands, float* sums, std::uint32_t rows, std::uint32_t columns,
                   bool accumulate) {
  Buffers& buffers = *buffers_;
  const std::uint32_t width = std::max(dim_, kVector);
  const float* b = operands + std::size_t{dim_} * depth_;
  if (width != dim_) {
    for (std::uint32_t k = 0; k < depth_; ++k) std::copy_n(b + k * dim_, dim_, buffers.wide + k * width);
    b = buffers.wide;
  }
  const auto take_apart = [this](const float* numbers, std::uint32_t count, Buffers::Parts& parts) {
    return numeric::take_apart(operand_, numbers, count, parts.values, parts.exponents);
  };
  const bool a_finite = take_apart(operands, rows * depth_, buffers.a);
  const bool b_finite = take_apart(b, depth_ * width, buffers.b);
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t column = 0; column < width; ++column)
      buffers.sums[row * width + column] =
          accumulate && column < columns ? numeric::sum_word(rule_.result, sums[row * dim_ + column]) : 0;
  numeric::add_fused_dot(rule_, {{buffers.a.values, buffers.a.exponents, depth_},
                                 {buffers.b.values, buffers.b.exponents, width},
                                 a_finite && b_finite,
                                 buffers.sums,
                                 width,
                                 rows,
                                 width / kVector,
                                 depth_});
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t column = 0; column < columns; ++column)
      sums[row * dim_ + column] = numeric::sum_value(rule_.result, buffers.sums[row * width + column]);
}

}  // namespace spica::matrix_unit
