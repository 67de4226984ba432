// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace spica::sweep {

namespace {

std::string point_text(const Sweep& sweep, const Rows& rows, const std::vector<config::Operand>& row) {
  std::string text;
  for (const Axis& axis : sweep.axes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.name, text_of(row[rows.column(axis.name)]));
  return text;
}

/// Infinite: they are not both numbers, and not equal.
double relative_difference(const config::Operand& before, const config::Operand& after) {
  if (before == after) return 0;
  const double first = number_of(before), second = number_of(after);
  if (std::isnan(first) || std::isnan(second) || first == 0) return std::numeric_limits<double>::infinity();
  return (second - first) / std::fabs(first);
}

}  // namespace

Comparison compare(const Sweep& sweep, const Rows& before, const Rows& after, double tolerance) {
  Comparison result;
  std::map<std::string, const std::vector<config::Operand>*> others;
  for (const auto& row : after.rows) others.emplace(point_text(sweep, after, row), &row);
  std::set<std::string> seen;
  for (const auto& row : before.rows) {
    const std::string point = point_text(sweep, before, row);
    seen.insert(point);
    const auto other = others.find(point);
    if (other == others.end()) {
      result.only_before.push_back(point);
      continue;
    }
    ++result.compared;
    for (std::size_t i = 0; i < before.columns.size(); ++i) {
      const std::string& name = before.columns[i];
      if (name == "point" || sweep.axis(name) != nullptr || !after.has(name)) continue;
      const config::Operand& now = (*other->second)[after.column(name)];
      const double relative = relative_difference(row[i], now);
      if (std::fabs(relative) > tolerance) result.differences.push_back({point, name, row[i], now, relative});
    }
  }
  for (const auto& [point, row] : others)
    if (seen.count(point) == 0) result.only_after.push_back(point);
  std::stable_sort(
      result.differences.begin(), result.differences.end(),
      [](const Difference& a, const Difference& b) { return std::fabs(a.relative) > std::fabs(b.relative); });
  return result;
}

}  // namespace spica::sweep
