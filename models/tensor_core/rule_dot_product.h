// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/numeric/format.h"
#include "models/numeric/product_sum.h"

namespace spica::tensor_core {

/// The functions of DotProductKernels (dot_product.h) by a rule of sums: C is added with the products.
class RuleDotProduct {
 public:
  RuleDotProduct(const numeric::SumRule& rule, numeric::Format operand) : sum_(rule), operand_(operand) {}

  void step(unsigned step, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) const;
  void tile(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c) const;

 private:
  /// C + the products of `words` words of each operand, `distance` words apart.
  std::uint32_t dot(const std::uint32_t* a, const std::uint32_t* b, unsigned words, unsigned distance,
                    std::uint32_t c) const;

  const numeric::ProductSum sum_;
  const numeric::Format operand_;
};

}  // namespace spica::tensor_core
