// SPDX-License-Identifier: Apache-2.0
// Products of matrices in double precision.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spica::network {

struct Matrix {
  const double* values = nullptr;
  std::int64_t row = 0, column = 0;  // strides
};

struct ProductExtents {
  std::size_t rows = 0, columns = 0, depth = 0;
};

/// Where sums of products go, and sums of their absolute values.
struct ProductSums {
  double *sums = nullptr, *sizes = nullptr;
  std::size_t row = 0;  // stride of both
};

/// sums += a b, and sizes += |a| |b|. Each sum has the order of k.
void multiply(const Matrix& a, const Matrix& b, const ProductExtents& of, const ProductSums& to);

}  // namespace spica::network
