// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/align.h"

#include <algorithm>

namespace spica::network {

Axis joined(const View& view, const std::vector<std::size_t>& axes) {
  Axis result;
  for (const std::size_t axis : axes)
    result.insert(result.end(), view.axes[axis].begin(), view.axes[axis].end());
  return merged(result);
}

Axis all_of(const View& view) {
  Axis result;
  for (const Axis& axis : view.axes) result.insert(result.end(), axis.begin(), axis.end());
  return merged(result);
}

void merge(std::vector<Loop>& loops) {
  std::vector<Loop> result;
  for (const Loop& loop : loops) {
    if (loop.extent == 1) continue;
    bool fits = !result.empty();
    for (std::size_t i = 0; fits && i < loop.strides.size(); ++i)
      fits = result.back().strides[i] == loop.extent * loop.strides[i];
    if (fits) result.back() = {result.back().extent * loop.extent, loop.strides};
    else result.push_back(loop);
  }
  loops = std::move(result);
}

std::optional<std::vector<Loop>> align(const std::vector<Axis>& operands) {
  std::vector<Axis> rest;
  for (const Axis& operand : operands) rest.push_back(merged(operand));
  std::vector<Loop> loops;
  const auto left = [&] {
    return std::any_of(rest.begin(), rest.end(), [](const Axis& axis) { return !axis.empty(); });
  };
  while (left()) {  // from the innermost loop
    std::int64_t extent = 0;
    for (const Axis& axis : rest) {
      if (axis.empty()) return std::nullopt;
      extent = extent == 0 ? axis.back().extent : std::min(extent, axis.back().extent);
    }
    Loop loop{extent, {}};
    for (Axis& axis : rest) {
      Part& part = axis.back();
      if (extent == 0 ? part.extent != 0 : part.extent % extent != 0) return std::nullopt;
      loop.strides.push_back(part.stride);
      if (part.extent == extent) axis.pop_back();
      else part = {part.extent / extent, part.stride * extent};
    }
    loops.insert(loops.begin(), std::move(loop));
  }
  merge(loops);
  return loops;
}

}  // namespace spica::network
