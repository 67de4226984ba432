// SPDX-License-Identifier: Apache-2.0
// Matrices whose rows are not contiguous in memory: leading dimensions, and A as a view of other data.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "platform/workloads/operand_layout.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// Elements from the start of a row to the start of the next one; for column-major matrices, of columns. 0: contiguous.
struct LeadingDimensions {
  std::uint32_t a = 0, b = 0, c = 0;
  bool natural() const { return a == 0 && b == 0 && c == 0; }
};

/// The memory layout of A: element k of row i is element i * leading + starts[k / run] + k % run. If A is column-major,
/// element i of column k is element k * leading + i.
struct ViewOfA {
  std::uint32_t leading = 0;
  std::uint32_t run = 0;  // adjacent elements along k, a multiple of the tile
  std::vector<std::uint32_t> starts{0};
};

/// The memory layouts of the matrices of a product.
struct MatrixViews {
  ViewOfA a;
  std::uint32_t ldb = 0, ldc = 0;
};
/// The views of a product of that (padded) size with these leading dimensions. Throws UserError if one is smaller than
/// a row, belongs to a matrix whose layout has no rows, or is not a multiple of `group` elements.
MatrixViews views_of(const GemmSize& size, const LeadingDimensions& leading, OperandLayout a, OperandLayout b,
                     std::uint32_t group);

/// Elements occupied by rows of `length`, `leading` apart.
std::uint64_t elements_of(std::uint64_t rows, std::uint64_t length, std::uint64_t leading);
/// Elements of memory occupied by A.
std::uint64_t elements_of(const ViewOfA& view, OperandLayout layout, const GemmSize& size);
/// Elements of memory occupied by B.
std::uint64_t elements_of_b(const MatrixViews& views, OperandLayout layout, const GemmSize& size);

/// The value between rows, which kernels must not use: NaN.
inline constexpr float kBetweenRows = std::numeric_limits<float>::quiet_NaN();
/// The same for a format. Integers have no NaN: for them a value that results rarely have.
float between_rows(Element element);
/// Inserts `between` between rows of `length` elements; and the inverse, for the numbers of gathered_c().
std::vector<float> spread_rows(const std::vector<float>& rows, std::uint64_t length, std::uint64_t leading,
                               float between = kBetweenRows);
template <class Number>
std::vector<Number> gathered_rows(const std::vector<Number>& memory, std::uint64_t length,
                                  std::uint64_t leading);
/// The number of elements between rows that differ from `between`.
std::uint64_t changed_between_rows(const std::vector<float>& memory, std::uint64_t length,
                                   std::uint64_t leading, float between = kBetweenRows);

/// The row-major m x k matrix that a view selects from `memory`.
std::vector<float> viewed_matrix(const std::vector<float>& memory, const ViewOfA& view, std::uint32_t m,
                                 std::uint32_t k);

}  // namespace spica::workloads
