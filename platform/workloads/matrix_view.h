// SPDX-License-Identifier: Apache-2.0
// Matrices whose rows do not follow each other in memory: leading dimensions, and A as a view of something else.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "platform/workloads/operand_layout.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// Elements from the first of a row to the first of the next one; of a matrix that is stored column by column from
/// column to column. 0: they follow each other.
struct LeadingDimensions {
  std::uint32_t a = 0, b = 0, c = 0;
  bool natural() const { return a == 0 && b == 0 && c == 0; }
};

/// How A is in memory: element k of row i is element i * leading + starts[k / run] + k % run. Of a column-major A
/// element i of column k is element k * leading + i.
struct ViewOfA {
  std::uint32_t leading = 0;
  std::uint32_t run = 0;  // elements along k that are neighbours, a multiple of the tile
  std::vector<std::uint32_t> starts{0};
};

/// Where the elements of the matrices of a product are.
struct MatrixViews {
  ViewOfA a;
  std::uint32_t ldb = 0, ldc = 0;
};
/// View of a product of that (padded) size with these leading dimensions. Throws UserError when one is smaller than a
/// row, or of a matrix whose layout has no rows, or no multiple of `group` elements.
MatrixViews views_of(const GemmSize& size, const LeadingDimensions& leading, OperandLayout a, OperandLayout b,
                     std::uint32_t group);

/// Elements that rows of `length` take, `leading` apart.
std::uint64_t elements_of(std::uint64_t rows, std::uint64_t length, std::uint64_t leading);
/// Elements of memory that A takes.
std::uint64_t elements_of(const ViewOfA& view, OperandLayout layout, const GemmSize& size);
/// And B.
std::uint64_t elements_of_b(const MatrixViews& views, OperandLayout layout, const GemmSize& size);

/// The values between rows, which no kernel may use: not a number.
inline constexpr float kBetweenRows = std::numeric_limits<float>::quiet_NaN();
/// The same of numbers of a format: integers have no NaN, but one that results rarely are.
float between_rows(Element element);
/// Rows of `length` elements with `between` between them; and the other way.
std::vector<float> spread_rows(const std::vector<float>& rows, std::uint64_t length, std::uint64_t leading,
                               float between = kBetweenRows);
std::vector<float> gathered_rows(const std::vector<float>& memory, std::uint64_t length,
                                 std::uint64_t leading);
/// Number of elements between rows that are no longer `between`.
std::uint64_t changed_between_rows(const std::vector<float>& memory, std::uint64_t length,
                                   std::uint64_t leading, float between = kBetweenRows);

/// The row-major matrix of m x k elements that `memory` is in a view.
std::vector<float> viewed_matrix(const std::vector<float>& memory, const ViewOfA& view, std::uint32_t m,
                                 std::uint32_t k);

}  // namespace spica::workloads
