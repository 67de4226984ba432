// SPDX-License-Identifier: Apache-2.0
// Operators that choose, join or move elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/workloads/network/node_types.h"
#include "platform/workloads/network/view.h"

namespace spica::network {

namespace {

void infer_concat(NodeScope& scope) {
  const std::size_t axis = scope.axis_attribute(0, scope.rank(0));
  Extents result = scope.extents(0);
  for (std::size_t i = 1; i < scope.inputs(); ++i) {
    Extents other = scope.extents(i);
    if (other.size() != result.size() || scope.type(i) != scope.type(0))
      throw NodeError(fmt::format("inputs 0 and {} do not fit together", i));
    const std::int64_t extent = other[axis];
    other[axis] = result[axis];
    if (other != result)
      throw NodeError(fmt::format("extents {} and {} do not fit together", extents_text(scope.extents(0)),
                                  extents_text(scope.extents(i))));
    result[axis] += extent;
  }
  scope.set(0, scope.type(0), std::move(result));
}

void fold_concat(NodeScope& scope) {
  const std::size_t axis = scope.axis_attribute(0, scope.rank(0));
  const Extents& result = scope.result(0);
  ConstantBuilder builder(scope.result_type(0), result);
  std::int64_t done = 0;
  for (std::size_t i = 0; i < scope.inputs(); ++i) {
    const Constant& part = *scope.constant(i);
    View target = View::contiguous(result);
    const auto range = target.sliced(axis, part.extents[axis] == 0 ? 0 : done, 1, part.extents[axis]);
    done += part.extents[axis];
    if (!range || part.elements() == 0) continue;
    ViewIndex to(*range);
    for (std::int64_t at = 0; at < part.elements(); ++at, to.next()) builder.copy(to.offset(), part, at);
  }
  scope.set(0, std::move(builder).finish());
}

void require_index_type(const NodeScope& scope, std::size_t i) {
  if (scope.type(i) != ElementType::kInt64 && scope.type(i) != ElementType::kInt32)
    throw NodeError(fmt::format("indices of {}; supported: int32, int64", name_of(scope.type(i))));
}

void infer_gather(NodeScope& scope) {
  require_index_type(scope, 1);
  const std::size_t axis = scope.axis_attribute(0, scope.rank(0));
  Extents result = scope.extents(0);
  const Extents& indices = scope.extents(1);
  const auto place = result.erase(result.begin() + static_cast<std::ptrdiff_t>(axis));
  result.insert(place, indices.begin(), indices.end());
  if (const Constant* values = scope.constant(1); values != nullptr && values->elements() <= (1 << 20))
    for (const std::int64_t index : integers(*values))
      if (index < -scope.extents(0)[axis] || index >= scope.extents(0)[axis])
        throw NodeError(fmt::format("index {} for {} entries", index, scope.extents(0)[axis]));
  scope.set(0, scope.type(0), std::move(result));
}

void fold_gather(NodeScope& scope) {
  const Constant &data = *scope.constant(0), &indices = *scope.constant(1);
  const std::size_t axis = scope.axis_attribute(0, scope.rank(0));
  const std::int64_t entries = data.extents[axis], count = indices.elements();
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < data.extents.size(); ++i) inner *= data.extents[i];
  ConstantBuilder builder(data.type, scope.result(0));
  const std::int64_t total = element_count(scope.result(0));
  for (std::int64_t at = 0; at < total; ++at) {
    const std::int64_t column = at % inner, i = at / inner % count, outer = at / inner / count;
    std::int64_t index = indices.integer_at(i);
    if (index < 0) index += entries;
    if (index < 0 || index >= entries)
      throw NodeError(fmt::format("index {} for {} entries", index, entries));
    builder.copy(at, data, (outer * entries + index) * inner + column);
  }
  scope.set(0, std::move(builder).finish());
}

void infer_gather_elements(NodeScope& scope) {
  require_index_type(scope, 1);
  const std::size_t axis = scope.axis_attribute(0, scope.rank(0));
  if (scope.rank(0) != scope.rank(1)) throw NodeError("data and indices have different numbers of axes");
  for (std::size_t i = 0; i < scope.extents(0).size(); ++i)
    if (i != axis && scope.extents(1)[i] > scope.extents(0)[i])
      throw NodeError("indices are outside the data");
  scope.set(0, scope.type(0), scope.extents(1));
}

void infer_gather_nd(NodeScope& scope) {
  require_index_type(scope, 1);
  const Extents &data = scope.extents(0), &indices = scope.extents(1);
  const std::int64_t batch = scope.node().integer("batch_dims", 0);
  if (batch < 0 || indices.empty() || batch >= scope.rank(1) || indices.back() < 1 ||
      batch + indices.back() > scope.rank(0) ||
      !std::equal(indices.begin(), indices.begin() + batch, data.begin()))
    throw NodeError("data and indices do not fit together");
  Extents result(indices.begin(), indices.end() - 1);
  result.insert(result.end(), data.begin() + batch + indices.back(), data.end());
  scope.set(0, scope.type(0), std::move(result));
}

void infer_one_hot(NodeScope& scope) {
  if (is_floating(scope.type(0))) throw NodeError(fmt::format("indices of {}", name_of(scope.type(0))));
  const Constant* depth = scope.constant(1);
  if (depth == nullptr || depth->elements() != 1) throw NodeError("input 'depth' must be constant");
  if (depth->integer_at(0) < 1 || depth->integer_at(0) > kMaxElements)
    throw NodeError(fmt::format("a depth of {}", depth->integer_at(0)));
  if (scope.extents(2) != Extents{2}) throw NodeError("input 'values' must have two elements");
  const std::size_t axis = scope.axis_attribute(-1, scope.rank(0) + 1);
  Extents result = scope.extents(0);
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis), depth->integer_at(0));
  scope.set(0, scope.type(2), std::move(result));
}

void require_plain_scatter(const NodeScope& scope) {
  if (scope.type(0) != scope.type(2)) throw NodeError("data and updates have different types");
  if (const std::string reduction = scope.node().text("reduction", "none"); reduction != "none")
    throw NodeError("attribute 'reduction' = '" + reduction + "'; supported: none");
}

void infer_scatter_elements(NodeScope& scope) {
  require_index_type(scope, 1);
  require_plain_scatter(scope);
  scope.axis_attribute(0, scope.rank(0));
  if (scope.extents(1) != scope.extents(2) || scope.rank(0) != scope.rank(1))
    throw NodeError("indices and updates do not fit together");
  scope.set(0, scope.type(0), scope.extents(0));
}

void infer_scatter_nd(NodeScope& scope) {
  require_index_type(scope, 1);
  require_plain_scatter(scope);
  const Extents &data = scope.extents(0), &indices = scope.extents(1);
  if (indices.empty() || indices.back() > scope.rank(0)) throw NodeError("its indices have too many entries");
  Extents updates(indices.begin(), indices.end() - 1);
  updates.insert(updates.end(), data.begin() + indices.back(), data.end());
  if (updates != scope.extents(2))
    throw NodeError(
        fmt::format("updates of {}, expected {}", extents_text(scope.extents(2)), extents_text(updates)));
  scope.set(0, scope.type(0), data);
}

void infer_pad(NodeScope& scope) {
  const std::string mode = scope.node().text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge")
    throw NodeError("attribute 'mode' = '" + mode + "'; supported: constant, reflect, edge");
  const std::vector<std::int64_t> pads = scope.list(1, "pads");
  if (scope.given(2) && (scope.constant(2) == nullptr || scope.constant(2)->elements() != 1))
    throw NodeError("input 'constant_value' must be constant");
  Extents result = scope.extents(0);
  std::vector<std::int64_t> axes(result.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
  if (scope.given(3)) axes = scope.list(3, "axes");
  if (pads.size() != 2 * axes.size())
    throw NodeError(fmt::format("{} pads for {} axes", pads.size(), axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = NodeScope::axis(axes[i], scope.rank(0));
    for (const std::int64_t pad : {pads[i], pads[axes.size() + i]}) {
      if (pad < -kMaxElements || pad > kMaxElements) throw NodeError(fmt::format("a pad of {}", pad));
      if (mode == "reflect" && pad >= scope.extents(0)[axis])
        throw NodeError("a reflected pad of the whole input");
      result[axis] += pad;
    }
    if (result[axis] < 0) throw NodeError("its pads remove more than the input has");
  }
  scope.set(0, scope.type(0), std::move(result));
}

/// Factors of all axes from the input `scales`, or those that `sizes` gives; extents of the result.
void infer_resize(NodeScope& scope) {
  const Extents& x = scope.extents(0);
  Extents result = x;
  std::vector<std::int64_t> axes(x.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
  if (const auto given = scope.node().integer_list("axes")) axes = *given;
  const bool has_sizes = scope.given(3) && element_count(scope.extents(3)) > 0;
  const std::size_t source = has_sizes ? 3 : 2;
  const Constant* values = scope.constant(source);
  if (values == nullptr || values->elements() != static_cast<std::int64_t>(axes.size()))
    throw NodeError("input 'scales' or 'sizes' must be constant, with a number for each axis");
  if (scope.node().text("keep_aspect_ratio_policy", "stretch") != "stretch")
    throw NodeError("attribute 'keep_aspect_ratio_policy' must be 'stretch'");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = NodeScope::axis(axes[i], scope.rank(0));
    const double value = values->number_at(static_cast<std::int64_t>(i));
    const double extent = has_sizes ? value : std::floor(static_cast<double>(x[axis]) * value);
    if (!(extent >= 1) || extent > static_cast<double>(kMaxElements))
      throw NodeError(fmt::format("a scale of {}", value));
    result[axis] = static_cast<std::int64_t>(extent);
  }
  scope.set(0, scope.type(0), std::move(result));
}

void infer_same(NodeScope& scope) {
  if (scope.rank(0) < 2) throw NodeError("its input needs two axes");
  scope.set(0, scope.type(0), scope.extents(0));
}

void fold_trilu(NodeScope& scope) {
  const Constant& x = *scope.constant(0);
  const bool upper = scope.node().integer("upper", 1) != 0;
  const std::int64_t diagonal = scope.constant(1) != nullptr && scope.constant(1)->elements() == 1
                                    ? scope.constant(1)->integer_at(0)
                                    : 0;
  const std::int64_t columns = x.extents.back(), rows = x.extents[x.extents.size() - 2];
  ConstantBuilder builder(x.type, x.extents);
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    const std::int64_t distance = i % columns - i / columns % rows;
    if (upper ? distance >= diagonal : distance <= diagonal) builder.copy(i, x, i);
  }
  scope.set(0, std::move(builder).finish());
}

void infer_cumulative_sum(NodeScope& scope) {
  const Constant* axis = scope.constant(1);
  if (axis == nullptr || axis->elements() != 1) throw NodeError("its axis must be constant");
  NodeScope::axis(axis->integer_at(0), scope.rank(0));
  scope.set(0, scope.type(0), scope.extents(0));
}

void fold_cumulative_sum(NodeScope& scope) {
  const Constant& x = *scope.constant(0);
  const std::size_t axis = NodeScope::axis(scope.constant(1)->integer_at(0), scope.rank(0));
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < x.extents.size(); ++i) inner *= x.extents[i];
  ConstantBuilder builder(x.type, x.extents);
  std::vector<double> sums(static_cast<std::size_t>(inner));
  const bool is_exclusive = scope.node().integer("exclusive", 0) != 0,
             is_reverse = scope.node().integer("reverse", 0) != 0;
  const std::int64_t count = x.elements(), last = x.extents[axis] - 1;
  for (std::int64_t step = 0; step < count; ++step) {
    const std::int64_t i = is_reverse ? count - 1 - step : step;
    double& sum = sums[static_cast<std::size_t>(i % inner)];
    if (i / inner % x.extents[axis] == (is_reverse ? last : 0)) sum = 0;
    const double before = sum;
    sum += x.number_at(i);
    builder.set(i, is_exclusive ? before : sum);
  }
  scope.set(0, std::move(builder).finish());
}

}  // namespace

std::vector<NodeType> selection_node_types() {
  constexpr std::string_view kResize =
      "antialias:i axes:l coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i extrapolation_value:f "
      "keep_aspect_ratio_policy:s mode:s nearest_mode:s";
  return {{"Concat", 1, kAnyNumber, 1, "axis:i", infer_concat, fold_concat},
          {"Gather", 2, 2, 1, "axis:i", infer_gather, fold_gather},
          {"GatherElements", 2, 2, 1, "axis:i", infer_gather_elements},
          {"GatherND", 2, 2, 1, "batch_dims:i", infer_gather_nd},
          {"OneHot", 3, 3, 1, "axis:i", infer_one_hot},
          {"ScatterElements", 3, 3, 1, "axis:i reduction:s", infer_scatter_elements},
          {"ScatterND", 3, 3, 1, "reduction:s", infer_scatter_nd},
          {"Pad", 2, 4, 1, "mode:s", infer_pad},
          {"Resize", 1, 4, 1, kResize, infer_resize},
          {"Trilu", 1, 2, 1, "upper:i", infer_same, fold_trilu},
          {"CumSum", 2, 2, 1, "exclusive:i reverse:i", infer_cumulative_sum, fold_cumulative_sum}};
}

}  // namespace spica::network
