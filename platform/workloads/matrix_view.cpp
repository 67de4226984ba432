// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/matrix_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "platform/base/input/user_error.h"

namespace spica::workloads {

namespace {

bool has_rows(OperandLayout layout) {
  return layout == OperandLayout::kAcross || layout == OperandLayout::kAlongK;
}

/// The distance of rows of `length` elements: `given`, or when that is 0 their length.
std::uint32_t checked_leading(const char* name, std::uint32_t given, std::uint32_t length, bool rows,
                              std::uint32_t group, std::string& reasons) {
  if (given == 0) return length;
  const auto bad = [&](const std::string& why) {
    reasons += fmt::format("{}--ld{} {}: {}", reasons.empty() ? "" : "\n", name, given, why);
  };
  const std::uint64_t least = (std::uint64_t{length} + group - 1) / group * group;
  if (!rows) bad("this design does not store the matrix by rows or columns");
  else if (given < length)
    bad(
        fmt::format("its rows have {} elements, so the stride must be at least "
                    "{}",
                    length, least));
  else if (given % group != 0) {
    bad(fmt::format("must be a multiple of {}, for example {}", group, (given / group + 1) * group));
  }
  return given;
}

}  // namespace

MatrixViews views_of(const GemmSize& size, const LeadingDimensions& leading, OperandLayout a, OperandLayout b,
                     std::uint32_t group) {
  MatrixViews views;
  std::string reasons;
  views.a.leading = checked_leading("a", leading.a, a == OperandLayout::kAcross ? size.m : size.k,
                                    has_rows(a), group, reasons);
  views.a.run = size.k;
  views.ldb = checked_leading("b", leading.b, b == OperandLayout::kAlongK ? size.k : size.n, has_rows(b),
                              group, reasons);
  views.ldc = checked_leading("c", leading.c, size.n, true, group, reasons);
  if (!reasons.empty()) throw input::UserError(reasons);
  return views;
}

std::uint64_t elements_of(std::uint64_t rows, std::uint64_t length, std::uint64_t leading) {
  return (rows - 1) * leading + length;
}

std::uint64_t elements_of(const ViewOfA& view, OperandLayout layout, const GemmSize& size) {
  if (layout == OperandLayout::kAcross) return elements_of(size.k, size.m, view.leading);
  if (!has_rows(layout)) return std::uint64_t{size.m} * size.k;
  const std::uint32_t last = *std::max_element(view.starts.begin(), view.starts.end());
  return elements_of(size.m, std::uint64_t{last} + view.run, view.leading);
}

std::uint64_t elements_of_b(const MatrixViews& views, OperandLayout layout, const GemmSize& size) {
  if (layout == OperandLayout::kAlongK) return elements_of(size.n, size.k, views.ldb);
  if (layout == OperandLayout::kAcross) return elements_of(size.k, size.n, views.ldb);
  return std::uint64_t{size.k} * size.n;
}

float between_rows(Element element) {
  const numeric::FormatInfo& info = numeric::info(element);
  if (info.is_float) return kBetweenRows;
  const float most = std::ldexp(1.0f, info.bits - (info.is_signed ? 1 : 0));
  return info.is_signed ? -most : most - 1;
}

std::vector<float> spread_rows(const std::vector<float>& rows, std::uint64_t length, std::uint64_t leading,
                               float between) {
  if (length == leading) return rows;
  std::vector<float> memory(elements_of(rows.size() / length, length, leading), between);
  for (std::uint64_t row = 0; row < rows.size() / length; ++row)
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row * length), length,
                memory.begin() + static_cast<std::ptrdiff_t>(row * leading));
  return memory;
}

template <class Number>
std::vector<Number> gathered_rows(const std::vector<Number>& memory, std::uint64_t length,
                                  std::uint64_t leading) {
  if (length == leading) return memory;
  const std::uint64_t count = (memory.size() - length) / leading + 1;
  std::vector<Number> rows(count * length);
  for (std::uint64_t row = 0; row < count; ++row)
    std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(row * leading), length,
                rows.begin() + static_cast<std::ptrdiff_t>(row * length));
  return rows;
}
template std::vector<float> gathered_rows(const std::vector<float>&, std::uint64_t, std::uint64_t);
template std::vector<std::int32_t> gathered_rows(const std::vector<std::int32_t>&, std::uint64_t,
                                                 std::uint64_t);
template std::vector<std::uint16_t> gathered_rows(const std::vector<std::uint16_t>&, std::uint64_t,
                                                  std::uint64_t);

std::uint64_t changed_between_rows(const std::vector<float>& memory, std::uint64_t length,
                                   std::uint64_t leading, float between) {
  const auto kept = [&](float value) {
    return value == between || (std::isnan(between) && std::isnan(value));
  };
  std::uint64_t changed = 0;
  for (std::uint64_t i = 0; i < memory.size(); ++i)
    if (i % leading >= length && !kept(memory[i])) ++changed;
  return changed;
}

std::vector<float> viewed_matrix(const std::vector<float>& memory, const ViewOfA& view, std::uint32_t m,
                                 std::uint32_t k) {
  std::vector<float> matrix;
  matrix.reserve(std::uint64_t{m} * k);
  for (std::uint64_t row = 0; row < m; ++row)
    for (std::uint32_t i = 0; i < k; ++i)
      matrix.push_back(memory[row * view.leading + view.starts[i / view.run] + i % view.run]);
  return matrix;
}

}  // namespace spica::workloads
