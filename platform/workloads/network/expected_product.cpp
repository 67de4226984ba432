// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/expected_product.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace spica::network {

namespace {

constexpr std::size_t kSteps = 4;  // for which a sum is loaded once

/// sum += left[i] * right[i], and size += |left[i]| * |right[i]|, for parts of `steps` rows in turn: the same bits in
/// all variants. `row`, `column`: strides of `right`.
template <std::size_t steps>
[[gnu::always_inline]] inline void add_steps(const double* left, const double* right, std::int64_t row,
                                             std::int64_t column, std::size_t count, double* sum,
                                             double* size) {
  for (std::size_t j = 0; j < count; ++j) {
    double all = sum[j], positive = size[j];
    for (std::size_t i = 0; i < steps; ++i) {
      const double product =
          left[i] * right[static_cast<std::int64_t>(i) * row + static_cast<std::int64_t>(j) * column];
      all += product;
      positive += std::abs(product);
    }
    sum[j] = all;
    size[j] = positive;
  }
}

#if defined(__x86_64__)
__attribute__((target_clones("arch=x86-64-v3", "default")))
#endif
void add_rows(const double* left, std::size_t steps, const double* right, std::int64_t row, std::int64_t column,
              std::size_t count, double* sum, double* size) {
  for (; steps >= kSteps; steps -= kSteps, left += kSteps, right += kSteps * row)
    if (column == 1) add_steps<kSteps>(left, right, row, 1, count, sum, size);
    else add_steps<kSteps>(left, right, row, column, count, sum, size);
  for (; steps > 0; --steps, ++left, right += row) add_steps<1>(left, right, row, column, count, sum, size);
}

}  // namespace

void multiply(const Matrix& a, const Matrix& b, const ProductExtents& of, const ProductSums& to) {
  constexpr std::size_t kColumns = 256, kDepth = 16;  // parts of b that stay in a cache
  std::array<double, kDepth> left{};
  for (std::size_t first = 0; first < of.columns; first += kColumns)
    for (std::size_t k = 0; k < of.depth; k += kDepth) {
      const std::size_t steps = std::min(kDepth, of.depth - k);
      const double* const right =
          b.values + static_cast<std::int64_t>(k) * b.row + static_cast<std::int64_t>(first) * b.column;
      for (std::size_t row = 0; row < of.rows; ++row) {
        for (std::size_t i = 0; i < steps; ++i)
          left[i] =
              a.values[static_cast<std::int64_t>(row) * a.row + static_cast<std::int64_t>(k + i) * a.column];
        add_rows(left.data(), steps, right, b.row, b.column, std::min(kColumns, of.columns - first),
                 to.sums + row * to.row + first, to.sizes + row * to.row + first);
      }
    }
}

}  // namespace spica::network
