// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// Adds the products of block operations to sums by a rule of sums: the sum in the accumulator is C.
class RuleSums {
 public:
  RuleSums(const numeric::SumRule& rule, const MatrixUnitParams& params);
  ~RuleSums();
  RuleSums(const RuleSums&) = delete;
  RuleSums& operator=(const RuleSums&) = delete;

  /// `operands`: A (DIM rows of block_depth() numbers), then B (block_depth() rows of DIM numbers). `sums`: rows of DIM
  /// sums, of which the first `columns` of `rows` rows change. Without `accumulate`, C is 0.
  void add(const float* operands, float* sums, std::uint32_t rows, std::uint32_t columns, bool accumulate);

 private:
  struct Buffers;

  const numeric::SumRule rule_;
  const numeric::Format operand_;
  const std::uint32_t dim_, depth_;
  const std::unique_ptr<Buffers> buffers_;
};

}  // namespace spica::matrix_unit
