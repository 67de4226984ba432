// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/drafts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "platform/workloads/network/einsum.h"
#include "platform/workloads/network/functions.h"
#include "platform/workloads/network/node_types.h"
#include "platform/workloads/network/windows.h"

namespace spica::network {

namespace {

void require_choice(const char* attribute, const std::string& value,
                    const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) == choices.end())
    throw NodeError(
        fmt::format("attribute '{}' = '{}'; supported: {}", attribute, value, fmt::join(choices, ", ")));
}

Parameters reduction(const NodeScope& scope) {
  static const std::map<std::string_view, Reduce::Operation> operations{
      {"ReduceSum", Reduce::Operation::kSum},
      {"ReduceMean", Reduce::Operation::kMean},
      {"ReduceMax", Reduce::Operation::kMax},
      {"ReduceMin", Reduce::Operation::kMin},
      {"ReduceProd", Reduce::Operation::kProduct},
      {"ReduceSumSquare", Reduce::Operation::kSumSquare},
      {"ReduceL1", Reduce::Operation::kL1},
      {"ReduceL2", Reduce::Operation::kL2},
      {"ReduceLogSum", Reduce::Operation::kLogSum},
      {"ReduceLogSumExp", Reduce::Operation::kLogSumExp},
      {"ArgMax", Reduce::Operation::kArgMax},
      {"ArgMin", Reduce::Operation::kArgMin},
      {"GlobalAveragePool", Reduce::Operation::kMean},
      {"GlobalMaxPool", Reduce::Operation::kMax}};
  return Reduce{operations.at(scope.node().type)};
}

Parameters pad(const NodeScope& scope) {
  Pad result;
  const std::string mode = scope.node().text("mode", "constant");
  result.mode = mode == "reflect" ? Pad::Mode::kReflect
                : mode == "edge"  ? Pad::Mode::kEdge
                                  : Pad::Mode::kConstant;
  if (scope.constant(2) != nullptr) result.value = scope.constant(2)->number_at(0);
  const std::vector<std::int64_t> pads = scope.list(1, "pads");
  result.before.resize(scope.extents(0).size());
  if (!scope.given(3)) {
    std::copy_n(pads.begin(), result.before.size(), result.before.begin());
    return result;
  }
  const std::vector<std::int64_t> axes = scope.list(3, "axes");
  for (std::size_t i = 0; i < axes.size(); ++i)
    result.before[NodeScope::axis(axes[i], scope.rank(0))] = pads[i];
  return result;
}

Parameters resize(const NodeScope& scope) {
  const Node& node = scope.node();
  const Extents &x = scope.extents(0), &y = scope.result(0);
  const std::size_t spatial = x.size() - 2;  // axes
  if ((x.size() != 3 && x.size() != 4) || x[0] != y[0] || x[1] != y[1])
    throw NodeError(fmt::format("{} to {}; supported: height and width of [N, C, H, W] or [N, C, W]",
                                extents_text(x), extents_text(y)));
  const std::string mode = node.text("mode", "nearest");
  require_choice("mode", mode, {"nearest", "linear"});
  Resize result;
  result.mode = mode == "linear" ? Resize::Mode::kLinear : Resize::Mode::kNearest;
  result.coordinates = node.text("coordinate_transformation_mode", "half_pixel");
  require_choice("coordinate_transformation_mode", result.coordinates,
                 {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"});
  result.rounding = node.text("nearest_mode", "round_prefer_floor");
  require_choice("nearest_mode", result.rounding,
                 {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  if (node.integer("antialias", 0) != 0) throw NodeError("attribute 'antialias' must be 0");
  const Constant* scales = scope.constant(2);
  for (std::size_t i = 0; i < spatial; ++i) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    result.scales[2 - spatial + i] =
        scales != nullptr && scales->elements() == static_cast<std::int64_t>(x.size())
            ? scales->number_at(axis)
            : static_cast<double>(y[2 + i]) / static_cast<double>(x[2 + i]);
  }
  return result;
}

Parameters pool(const NodeScope& scope) {
  const Windows windows = windows_of(scope, *scope.node().integer_list("kernel_shape"));
  return Pool{scope.node().type == "MaxPool",
              scope.node().integer("count_include_pad", 0) != 0,
              windows.kernel,
              windows.strides,
              windows.dilations,
              windows.pads};
}

Parameters recurrent(const NodeScope& scope) {
  const Node& node = scope.node();
  return Recurrent{node.type == "GRU", node.integer("linear_before_reset", 0) != 0,
                   node.text("direction", "forward"), node.integer("hidden_size", 0)};
}

Parameters gather_elements(const NodeScope& scope) {
  return GatherElements{static_cast<std::int64_t>(scope.axis_attribute(0, scope.rank(0)))};
}

Parameters gather_nd(const NodeScope& scope) { return GatherNd{scope.node().integer("batch_dims", 0)}; }
Parameters one_hot(const NodeScope& scope) {
  return OneHot{static_cast<std::int64_t>(scope.axis_attribute(-1, scope.rank(0) + 1))};
}
Parameters cumulative_sum(const NodeScope& scope) {
  return CumulativeSum{scope.node().integer("exclusive", 0) != 0};
}
Parameters triangle(const NodeScope&) { return Elementwise{Function::kWhere, 0, 0}; }  // see emit_triangle

Parameters scatter(const NodeScope& scope) {
  const bool elements = scope.node().type == "ScatterElements";
  return Scatter{elements, elements ? static_cast<std::int64_t>(scope.axis_attribute(0, scope.rank(0))) : 0};
}

Parameters layer_norm(const NodeScope& scope) { return LayerNorm{scope.node().number("epsilon", 1e-5F)}; }
Parameters rms_norm(const NodeScope& scope) { return RmsNorm{scope.node().number("epsilon", 1e-5F)}; }
Parameters group_norm(const NodeScope& scope) { return GroupNorm{scope.node().number("epsilon", 1e-5F)}; }

/// Parameters of a node, and how many of its inputs are operands.
struct Rule {
  Parameters (*parameters)(const NodeScope&);
  std::size_t inputs;
};

const std::map<std::string_view, Rule>& rules() {
  const auto product = [](const NodeScope& scope) -> Parameters {
    return Product{scope.node().number("alpha", 1), {}};
  };
  const auto convolution = [](const NodeScope& scope) -> Parameters {
    Convolution result;
    result.transposed = scope.node().type == "ConvTranspose";
    return result;
  };
  const auto softmax = [](const NodeScope& scope) -> Parameters {
    return Softmax{1, scope.node().type == "LogSoftmax", false};
  };
  const auto top_k = [](const NodeScope& scope) -> Parameters {
    return TopK{scope.list(1, "K").at(0), scope.node().integer("largest", 1) != 0};
  };
  const auto quantize = [](const NodeScope&) -> Parameters { return Quantize{}; };
  const auto dequantize = [](const NodeScope&) -> Parameters { return Dequantize{}; };
  const auto gather = [](const NodeScope&) -> Parameters { return Gather{}; };
  const auto channels = [](const NodeScope&) -> Parameters { return Elementwise{}; };  // see fuse_batch_norm
  const auto concat = [](const NodeScope&) -> Parameters { return Copy{}; };
  static const std::map<std::string_view, Rule> all{{"MatMul", {product, 2}},
                                                    {"Gemm", {product, 3}},
                                                    {"Einsum", {product, 2}},
                                                    {"Conv", {convolution, 3}},
                                                    {"ConvTranspose", {convolution, 3}},
                                                    {"Softmax", {softmax, 1}},
                                                    {"LogSoftmax", {softmax, 1}},
                                                    {"LayerNormalization", {layer_norm, 3}},
                                                    {"RMSNormalization", {rms_norm, 2}},
                                                    {"InstanceNormalization", {group_norm, 3}},
                                                    {"GroupNormalization", {group_norm, 3}},
                                                    {"TopK", {top_k, 1}},
                                                    {"ReduceSum", {reduction, 1}},
                                                    {"ReduceMean", {reduction, 1}},
                                                    {"ReduceMax", {reduction, 1}},
                                                    {"ReduceMin", {reduction, 1}},
                                                    {"ReduceProd", {reduction, 1}},
                                                    {"ReduceSumSquare", {reduction, 1}},
                                                    {"ReduceL1", {reduction, 1}},
                                                    {"ReduceL2", {reduction, 1}},
                                                    {"ReduceLogSum", {reduction, 1}},
                                                    {"ReduceLogSumExp", {reduction, 1}},
                                                    {"ArgMax", {reduction, 1}},
                                                    {"ArgMin", {reduction, 1}},
                                                    {"GlobalAveragePool", {reduction, 1}},
                                                    {"GlobalMaxPool", {reduction, 1}},
                                                    {"Concat", {concat, kNone}},
                                                    {"BatchNormalization", {channels, 1}},
                                                    {"Pad", {pad, 1}},
                                                    {"Resize", {resize, 1}},
                                                    {"MaxPool", {pool, 1}},
                                                    {"AveragePool", {pool, 1}},
                                                    {"QuantizeLinear", {quantize, 3}},
                                                    {"DequantizeLinear", {dequantize, 3}},
                                                    {"Gather", {gather, 2}},
                                                    {"GatherElements", {gather_elements, 2}},
                                                    {"GatherND", {gather_nd, 2}},
                                                    {"OneHot", {one_hot, 3}},
                                                    {"CumSum", {cumulative_sum, 1}},
                                                    {"Trilu", {triangle, 1}},
                                                    {"ScatterElements", {scatter, 3}},
                                                    {"ScatterND", {scatter, 3}},
                                                    {"LSTM", {recurrent, 8}},
                                                    {"GRU", {recurrent, 6}}};
  return all;
}

/// A power with an exponent of which a simpler function is known.
std::optional<Elementwise> constant_power(const NodeScope& scope) {
  const Constant* exponent = scope.node().type == "Pow" ? scope.constant(1) : nullptr;
  if (exponent == nullptr || exponent->elements() != 1 || scope.result(0) != scope.extents(0))
    return std::nullopt;
  const double value = exponent->number_at(0);
  if (value == 1) return Elementwise{Function::kIdentity, 0, 0};
  if (value == 2) return Elementwise{Function::kMul, 0, 0};
  if (!is_floating(scope.type(0))) return std::nullopt;
  if (value == 0.5) return Elementwise{Function::kSqrt, 0, 0};
  if (value == -1) return Elementwise{Function::kReciprocal, 0, 0};
  return std::nullopt;
}

/// The range that constant indices of a Gather are: start and step. Empty: they are not regular.
std::optional<std::pair<std::int64_t, std::int64_t>> regular_indices(const NodeScope& scope) {
  const Constant* indices = scope.constant(1);
  if (indices == nullptr || indices->elements() == 0 || indices->elements() > (1 << 20)) return std::nullopt;
  const std::int64_t entries = scope.extents(0)[scope.axis_attribute(0, scope.rank(0))];
  std::vector<std::int64_t> values = integers(*indices);
  for (std::int64_t& value : values)
    if (value < 0) value += entries;
  const std::int64_t step = values.size() > 1 ? values[1] - values[0] : 1;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] - values[i - 1] != step || step == 0) return std::nullopt;
  return std::pair(values[0], step);
}

}  // namespace

Draft draft_of(const Graph& graph, std::size_t index) {
  const Node& node = graph.nodes[index];
  const NodeScope scope(graph, index);
  Draft draft{{}, index, {index}, {}, node.outputs};
  std::size_t operands = 0;
  if (is_elementwise(node.type)) {
    const Elementwise operation = elementwise_of(scope);
    draft.parameters = operation;
    operands = inputs_of(operation.function);
    if (const auto simple = constant_power(scope)) {
      draft.parameters = *simple;
      draft.inputs.assign(inputs_of(simple->function), node.inputs[0]);
      return draft;
    }
  } else {
    const auto rule = rules().find(node.type);
    if (rule == rules().end()) throw NodeError("supported only where its inputs are constant");
    draft.parameters = rule->second.parameters(scope);
    operands = rule->second.inputs;
  }
  draft.inputs.assign(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(
                                                                     std::min(operands, node.inputs.size())));
  return draft;
}

bool may_be_view(const NodeScope& scope) {
  const std::string& type = scope.node().type;
  if (type == "Cast" || type == "CastLike") return scope.type(0) == scope.result_type(0);
  if (type == "Gather") return regular_indices(scope).has_value();
  if (type == "Einsum") return scope.inputs() == 1;
  const NodeType* found = find_node_type(type);
  return found != nullptr && found->is_view;
}

std::optional<View> node_view(const NodeScope& scope, const View& input, std::size_t output) {
  const std::string& type = scope.node().type;
  if (type == "Cast" || type == "CastLike") return input;
  if (type == "Gather") {
    const auto range = regular_indices(scope);
    const std::size_t axis = scope.axis_attribute(0, scope.rank(0));
    const auto sliced = input.sliced(axis, range->first, range->second, scope.constant(1)->elements());
    return sliced ? sliced->reshaped(scope.result(0)) : std::nullopt;
  }
  if (type == "Einsum") {
    const Einsum einsum = parse_einsum(scope.node().text("equation", ""), 1);
    if (einsum.a.size() != einsum.result.size())
      throw NodeError("its equation sums an axis of one operand; use ReduceSum");
    std::vector<std::size_t> order;
    for (const char letter : einsum.result) order.push_back(einsum.a.find(letter));
    return input.permuted(order);
  }
  return apply_view(scope, input, output);
}

}  // namespace spica::network
