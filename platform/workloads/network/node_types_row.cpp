// SPDX-License-Identifier: Apache-2.0
// Reductions, normalisations and softmax.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "platform/workloads/network/node_types.h"
#include "platform/workloads/network/row_axes.h"

namespace spica::network {

std::vector<std::size_t> reduced_axes(const NodeScope& scope) {
  const std::string& type = scope.node().type;
  if (type == "ArgMax" || type == "ArgMin") return {scope.axis_attribute(0, scope.rank(0))};
  const auto given = scope.list_of("axes", 1);
  std::vector<std::size_t> axes;
  if (given)
    for (const std::int64_t axis : *given) axes.push_back(NodeScope::axis(axis, scope.rank(0)));
  if (axes.empty() && scope.node().integer("noop_with_empty_axes", 0) == 0)
    for (std::size_t i = 0; i < scope.extents(0).size(); ++i) axes.push_back(i);
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

std::size_t first_row_axis(const NodeScope& scope) {
  const bool softmax = scope.node().type == "Softmax" || scope.node().type == "LogSoftmax";
  const std::size_t axis = scope.axis_attribute(softmax && scope.opset() < 13 ? 1 : -1, scope.rank(0));
  return axis;
}

namespace {

void infer_reduction(NodeScope& scope) {
  Extents result = scope.extents(0);
  const bool keeps = scope.node().integer("keepdims", 1) != 0;
  const std::vector<std::size_t> axes = reduced_axes(scope);
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (keeps) result[*axis] = 1;
    else result.erase(result.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  const bool index = scope.node().type.substr(0, 3) == "Arg";
  if (index && scope.node().integer("select_last_index", 0) != 0)
    throw NodeError("attribute 'select_last_index' must be 0");
  scope.set(0, index ? ElementType::kInt64 : scope.type(0), std::move(result));
}

/// The result of all elements: sums in double precision, integers exactly up to 2^53.
double reduced(const std::string& type, const std::vector<double>& values) {
  double result = type == "ReduceProd"  ? 1
                  : type == "ReduceMax" ? -std::numeric_limits<double>::infinity()
                  : type == "ReduceMin" ? std::numeric_limits<double>::infinity()
                                        : 0;
  for (const double value : values) {
    if (type == "ReduceProd") result *= value;
    else if (type == "ReduceMax") result = std::max(result, value);
    else if (type == "ReduceMin") result = std::min(result, value);
    else if (type == "ReduceL1") result += std::abs(value);
    else if (type == "ReduceLogSumExp") result += std::exp(value);
    else if (type == "ReduceL2" || type == "ReduceSumSquare") result += value * value;
    else result += value;
  }
  if (type == "ReduceL2") return std::sqrt(result);
  if (type == "ReduceLogSum" || type == "ReduceLogSumExp") return std::log(result);
  return type == "ReduceMean" ? result / static_cast<double>(values.size()) : result;
}

void fold_reduction(NodeScope& scope) {
  const Constant& x = *scope.constant(0);
  const std::vector<std::size_t> axes = reduced_axes(scope);
  const std::int64_t count = element_count(scope.result(0));
  std::vector<std::vector<double>> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    std::int64_t rest = i, target = 0, stride = 1;
    for (std::size_t axis = x.extents.size(); axis-- > 0;) {
      const std::int64_t at = rest % x.extents[axis];
      rest /= x.extents[axis];
      if (std::binary_search(axes.begin(), axes.end(), axis)) continue;
      target += at * stride;
      stride *= x.extents[axis];
    }
    values[static_cast<std::size_t>(target)].push_back(x.number_at(i));
  }
  ConstantBuilder builder(scope.result_type(0), scope.result(0));
  for (std::int64_t i = 0; i < count; ++i)
    builder.set(i, reduced(scope.node().type, values[static_cast<std::size_t>(i)]));
  scope.set(0, std::move(builder).finish());
}

void require_real(const NodeScope& scope) {
  if (!is_floating(scope.type(0))) throw NodeError(fmt::format("an input of {}", name_of(scope.type(0))));
}

void infer_rows(NodeScope& scope) {
  require_real(scope);
  first_row_axis(scope);
  scope.set(0, scope.type(0), scope.extents(0));
}

void infer_layer_norm(NodeScope& scope) {
  infer_rows(scope);
  const Extents row(scope.extents(0).begin() + static_cast<std::ptrdiff_t>(first_row_axis(scope)),
                    scope.extents(0).end());
  for (const std::size_t i : {1U, 2U})
    if (scope.given(i) && broadcast(row, scope.extents(i)) != row)
      throw NodeError(
          fmt::format("a weight of {} for rows of {}", extents_text(scope.extents(i)), extents_text(row)));
  if (scope.node().integer("stash_type", 1) != 1) throw NodeError("attribute 'stash_type' must be 1");
}

void require_channels(const NodeScope& scope, std::size_t inputs, std::int64_t channels) {
  for (std::size_t i = 1; i <= inputs; ++i)
    if (scope.extents(i) != Extents{channels})
      throw NodeError(
          fmt::format("input {} of {} for {} channels", i, extents_text(scope.extents(i)), channels));
}

void infer_instance_norm(NodeScope& scope) {
  require_real(scope);
  if (scope.rank(0) < 3) throw NodeError("an input without spatial axes");
  require_channels(scope, 2, scope.extents(0)[1]);
  scope.set(0, scope.type(0), scope.extents(0));
}

void infer_group_norm(NodeScope& scope) {
  require_real(scope);
  const std::int64_t groups = scope.node().integer("num_groups", 0);
  if (scope.rank(0) < 3 || groups < 1 || scope.extents(0)[1] % groups != 0)
    throw NodeError("its channels are not a multiple of num_groups");
  require_channels(scope, 2, scope.opset() < 21 ? groups : scope.extents(0)[1]);
  scope.set(0, scope.type(0), scope.extents(0));
}

void infer_batch_norm(NodeScope& scope) {
  require_real(scope);
  if (scope.rank(0) < 2) throw NodeError("an input without channels");
  require_channels(scope, 4, scope.extents(0)[1]);
  if (scope.node().integer("training_mode", 0) != 0) throw NodeError("attribute 'training_mode' must be 0");
  scope.set(0, scope.type(0), scope.extents(0));
}

void infer_top_k(NodeScope& scope) {
  const std::vector<std::int64_t> k = scope.list(1, "K");
  const std::size_t axis = scope.axis_attribute(-1, scope.rank(0));
  Extents result = scope.extents(0);
  if (k.size() != 1 || k[0] < 1 || k[0] > result[axis]) throw NodeError("input 'K' is outside its axis");
  if (scope.node().integer("sorted", 1) == 0) throw NodeError("attribute 'sorted' must be 1");
  result[axis] = k[0];
  scope.set(0, scope.type(0), result);
  scope.set(1, ElementType::kInt64, result);
}

}  // namespace

std::vector<NodeType> row_node_types() {
  std::vector<NodeType> types{
      {"Softmax", 1, 1, 1, "axis:i", infer_rows},
      {"LogSoftmax", 1, 1, 1, "axis:i", infer_rows},
      {"LayerNormalization", 2, 3, 1, "axis:i epsilon:f stash_type:i", infer_layer_norm},
      {"RMSNormalization", 2, 2, 1, "axis:i epsilon:f stash_type:i", infer_layer_norm},
      {"InstanceNormalization", 3, 3, 1, "epsilon:f", infer_instance_norm},
      {"GroupNormalization", 3, 3, 1, "epsilon:f num_groups:i stash_type:i", infer_group_norm},
      {"BatchNormalization", 5, 5, 1, "epsilon:f momentum:f training_mode:i", infer_batch_norm},
      {"TopK", 2, 2, 2, "axis:i largest:i sorted:i", infer_top_k}};
  for (const std::string_view name :
       {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
        "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"})
    types.push_back(
        {name, 1, 2, 1, "axes:l keepdims:i noop_with_empty_axes:i", infer_reduction, fold_reduction});
  for (const std::string_view name : {"ArgMax", "ArgMin"})
    types.push_back({name, 1, 1, 1, "axis:i keepdims:i select_last_index:i", infer_reduction});
  return types;
}

}  // namespace spica::network
