// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/kernel_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "platform/workloads/network/functions.h"

namespace spica::network {

std::string operator_of(Function function) {
  switch (function) {
    case Function::kGeluErf: return "Gelu";
    case Function::kSiluGate: return "GatedSilu";
    case Function::kPrelu: return "PRelu";
    default: break;
  }
  std::string name;
  bool is_first = true;
  for (const char c : name_of(function)) {
    if (c != '_') name += is_first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    is_first = c == '_';
  }
  return name;
}

namespace {

const char* operator_of(Reduce::Operation operation) {
  switch (operation) {
    case Reduce::Operation::kSum: return "ReduceSum";
    case Reduce::Operation::kMean: return "ReduceMean";
    case Reduce::Operation::kMax: return "ReduceMax";
    case Reduce::Operation::kMin: return "ReduceMin";
    case Reduce::Operation::kProduct: return "ReduceProd";
    case Reduce::Operation::kSumSquare: return "ReduceSumSquare";
    case Reduce::Operation::kL1: return "ReduceL1";
    case Reduce::Operation::kL2: return "ReduceL2";
    case Reduce::Operation::kArgMax: return "ArgMax";
    case Reduce::Operation::kArgMin: return "ArgMin";
  }
  return "";
}

std::uint64_t elements_of(const Extents& extents) {
  return static_cast<std::uint64_t>(element_count(extents));
}
std::uint64_t rows_of(const Extents& extents) {
  return elements_of(extents) / static_cast<std::uint64_t>(std::max<std::int64_t>(extents.back(), 1));
}

/// A row is the last two axes of norms and reductions: another one in front of the last.
Operand as_rows(Operand operand) {
  operand.extents.insert(operand.extents.end() - 1, 1);
  operand.strides.insert(operand.strides.end() - 1, 0);
  return operand;
}

/// The calls that compute an operator.
class Calls {
 public:
  Calls(const Operator& op, const KernelMemory& memory) : op_(op), memory_(memory) {}

  std::vector<Call> take() && { return std::move(calls_); }

  void operator()(const Elementwise& operation) {
    static constexpr const char* kNames[] = {"x", "y", "z"};
    const unsigned count = inputs_of(operation.function);
    const ElementType first = type(op_.inputs[count == 3 ? 1 : 0]);
    for (unsigned i = 1; i < count; ++i)
      if (const ElementType one = type(op_.inputs[i]); one != first)
        throw NoKernel(fmt::format("no kernel has operands of {} and {}", name_of(first), name_of(one)));
    const bool is_copy =
        operation.function == Function::kIdentity ||
        (operation.function == Function::kCast && type(op_.inputs[0]) == type(op_.outputs[0]));
    Call call = is_copy
                    ? copy(op_.outputs[0], op_.inputs[0])
                    : base(operator_of(operation.function), op_.outputs[0], op_.inputs[count == 3 ? 1 : 0]);
    if (operation.function == Function::kCast && !is_copy)
      call.format = fmt::format("{}_{}", name_of(type(op_.inputs[0])), name_of(type(op_.outputs[0])));
    call.operands.clear();
    for (unsigned i = 0; i < count; ++i)
      call.operands.push_back(
          {count == 3 && i == 0 ? "condition" : kNames[count == 3 ? i - 1 : i], op_.inputs[i], {}});
    call.scalars = {{"alpha", operation.alpha},
                    {"beta", operation.beta},
                    {"least", operation.alpha},
                    {"most", operation.beta}};
    calls_.push_back(std::move(call));
  }

  void operator()(const Product& product) {
    if (product.quantised) throw NoKernel("there is no kernel for quantised products");
    const Operand& result = op_.outputs[0];
    const std::size_t rank = result.extents.size();
    const std::int64_t depth = op_.inputs[0].extents[rank - 1];
    Call call = base("Product", result, op_.inputs[0]);
    call.extents.push_back(depth);
    const auto with = [&](const Operand& operand, std::int64_t row, std::int64_t column,
                          std::int64_t common) {
      Operand spread{operand.tensor, operand.offset, call.extents, operand.strides};
      spread.strides.resize(rank - 2);
      spread.strides.insert(spread.strides.end(), {row, column, common});
      return spread;
    };
    const auto of_result = [&](const Operand& operand) {
      return with(operand, operand.strides[rank - 2], operand.strides[rank - 1], 0);
    };
    const Operand &a = op_.inputs[0], &b = op_.inputs[1];
    call.result = of_result(result);
    call.operands = {{"a", with(a, a.strides[rank - 2], 0, a.strides[rank - 1]), {}},
                     {"b", with(b, 0, b.strides[rank - 1], b.strides[rank - 2]), {}}};
    add_terms(call, of_result);
    call.scalars = {{"scale", product.scale}};
    call.function = product.function;
    call.facts = {{"rows", static_cast<double>(result.extents[rank - 2])},
                  {"columns", static_cast<double>(result.extents[rank - 1])},
                  {"depth", static_cast<double>(depth)},
                  {"stride_of_b_along_k", static_cast<double>(b.strides[rank - 2])}};
    calls_.push_back(std::move(call));
  }

  void operator()(const Convolution& convolution) {
    if (convolution.quantised || convolution.transposed)
      throw NoKernel("there is no kernel for quantised and transposed convolutions");
    if (is_product(convolution)) return of_product(convolution);
    const Operand &x = op_.inputs[0], &weights = op_.inputs[1], &result = op_.outputs[0];
    const std::int64_t groups = convolution.groups, of_result = result.extents[1] / groups,
                       of_x = weights.extents[1];
    Call call = base("Conv", result, x);
    call.extents = {result.extents[0], groups, of_result, result.extents[2], result.extents[3], of_x};
    const auto like_result = [&](const Operand& operand) {
      const Extents& s = operand.strides;
      return Operand{
          operand.tensor, operand.offset, call.extents, {s[0], s[1] * of_result, s[1], s[2], s[3], 0}};
    };
    call.result = like_result(result);
    const Extents &a = x.strides, &w = weights.strides;
    call.operands = {
        {"x", {x.tensor, x.offset, call.extents, {a[0], a[1] * of_x, 0, a[2], a[3], a[1]}}, {}},
        {"weights",
         {weights.tensor, weights.offset, call.extents, {0, w[0] * of_result, w[0], w[2], w[3], w[1]}},
         {}}};
    add_terms(call, like_result);
    call.integers = windows({weights.extents[2], weights.extents[3]}, convolution.strides, convolution.pads,
                            convolution.dilations, x);
    call.scalars = {{"scale", 1}, {"least", convolution.function.alpha}, {"most", convolution.function.beta}};
    call.facts = {{"channels_of_group", static_cast<double>(of_x)}};
    call.function = convolution.function;
    if (auto product = as_product(call, convolution)) call.instead.push_back(std::move(*product));
    calls_.push_back(std::move(call));
  }

  void operator()(const Pool& pool) {
    const Operand &x = op_.inputs[0], &result = op_.outputs[0];
    Call call = base(pool.maximum ? "MaxPool" : "AveragePool", result, x);
    call.extents = {result.extents[0], result.extents[1], 1, result.extents[2], result.extents[3], 1};
    const auto spread = [&](const Operand& operand) {
      const Extents& s = operand.strides;
      return Operand{operand.tensor, operand.offset, call.extents, {s[0], s[1], 0, s[2], s[3], 0}};
    };
    call.result = spread(result);
    call.operands = {{"x", spread(x), {}}};
    call.integers = windows(pool.kernel, pool.strides, pool.pads, pool.dilations, x);
    call.scalars = {{"count_include_pad", pool.counts_padding ? 1 : 0}};
    calls_.push_back(std::move(call));
  }

  void operator()(const Copy&) {
    for (std::size_t i = 0; i < op_.outputs.size(); ++i)
      if (element_count(op_.outputs[i].extents) != 0) calls_.push_back(copy(op_.outputs[i], op_.inputs[i]));
  }

  void operator()(const Softmax& softmax) {
    const Extents& extents = op_.outputs[0].extents;
    Call call = base(softmax.logarithm ? "LogSoftmax" : "Softmax", op_.outputs[0], op_.inputs[0]);
    call.operands.push_back({"x", op_.inputs[0], {}});
    if (op_.inputs.size() > 1 && op_.inputs[1].given() && !softmax.causal)
      call.operands.push_back({"mask", op_.inputs[1], {}});
    call.scalars = {{"scale", softmax.scale}};
    call.integers = {{"causal", softmax.causal ? 1 : 0}};
    if (softmax.causal)
      call.integers["first"] = static_cast<double>(extents.back() - extents[extents.size() - 2]);
    call.items = rows_of(extents);
    calls_.push_back(std::move(call));
  }

  void operator()(const LayerNorm& norm) { rows("LayerNorm", norm.epsilon, true); }
  void operator()(const RmsNorm& norm) { rows("RmsNorm", norm.epsilon, false); }
  void operator()(const GroupNorm& norm) {
    Call call = base("GroupNorm", op_.outputs[0], op_.inputs[0]);
    add_factors(call, norm.epsilon, true, false);
    call.items = static_cast<std::uint64_t>(op_.outputs[0].extents[0] * op_.outputs[0].extents[1]);
    calls_.push_back(std::move(call));
  }

  void operator()(const Reduce& reduce) {
    Operand result = op_.outputs[0];  // one element for each row, along no axis
    result.extents.push_back(1);
    result.strides.push_back(0);
    Call call = base(operator_of(reduce.operation), as_rows(result), op_.inputs[0]);
    call.operands.push_back({"x", as_rows(op_.inputs[0]), {}});
    call.extents = call.operands[0].operand.extents;
    call.items = rows_of(op_.inputs[0].extents);
    calls_.push_back(std::move(call));
  }

  void operator()(const Rotary& rotary) {
    static constexpr const char* kNames[] = {"x", "cos", "sin"};
    Call call = base("RotaryEmbedding", op_.outputs[0], op_.inputs[0]);
    const auto pairs = [&](Operand operand, const std::string& integer) {
      const std::int64_t stride = operand.strides.back(), half = operand.extents.back() / 2;
      call.integers["pair_of_" + integer] = static_cast<double>(rotary.interleaved ? stride : half * stride);
      operand.extents.back() = half;
      operand.strides.back() = rotary.interleaved ? 2 * stride : stride;
      return operand;
    };
    call.result = pairs(call.result, "result");
    for (std::size_t i = 0; i < 3; ++i)
      call.operands.push_back({kNames[i], pairs(op_.inputs[i], kNames[i]), {}});
    call.extents = call.result.extents;
    call.items = elements_of(call.extents);
    calls_.push_back(std::move(call));
  }

  void operator()(const Gather&) {
    const Operand &data = op_.inputs[0], &indices = op_.inputs[1], &result = op_.outputs[0];
    Call call = copy(result, data);
    call.op = "Gather";
    call.operands = {
        {"x", {data.tensor, data.offset, result.extents, {data.strides[0], 0, data.strides[2]}}, {}},
        {"index", {indices.tensor, indices.offset, result.extents, {0, indices.strides[0], 0}}, {}}};
    call.integers = {{"axis_stride", static_cast<double>(data.strides[1])},
                     {"axis_extent", static_cast<double>(data.extents[1])}};
    calls_.push_back(std::move(call));
  }

  template <class Other>
  void operator()(const Other&) {
    throw NoKernel("there is no kernel for this operator");
  }

 private:
  ElementType type(const Operand& operand) const { return memory_.places[operand.tensor].type; }

  Call base(std::string op, const Operand& result, const Operand& of_format) const {
    Call call;
    call.op = std::move(op);
    call.format = name_of(type(of_format));
    call.extents = result.extents;
    call.result = result;
    call.items = elements_of(result.extents);
    return call;
  }

  /// A copy is the same for all types with as many bits.
  Call copy(const Operand& result, const Operand& from) const {
    Call call = base("Copy", result, from);
    call.format = fmt::format("{}", 8 * bytes_of(type(from)));
    call.operands.push_back({"x", from, {}});
    return call;
  }

  /// Bias and residual, as far as there are.
  template <class Shaped>
  void add_terms(Call& call, Shaped&& shaped) const {
    static constexpr const char* kNames[] = {"bias", "residual"};
    for (std::size_t i = 0; i < 2; ++i)
      if (op_.inputs.size() > 2 + i && op_.inputs[2 + i].given())
        call.operands.push_back({kNames[i], shaped(op_.inputs[2 + i]), {}});
  }

  static std::map<std::string, double> windows(const std::array<std::int64_t, 2>& window,
                                               const std::array<std::int64_t, 2>& strides,
                                               const std::array<std::int64_t, 4>& pads,
                                               const std::array<std::int64_t, 2>& dilations,
                                               const Operand& x) {
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    return {{"window_rows", number(window[0])},      {"window_columns", number(window[1])},
            {"stride_down", number(strides[0])},     {"stride_across", number(strides[1])},
            {"pad_above", number(pads[0])},          {"pad_left", number(pads[1])},
            {"dilation_down", number(dilations[0])}, {"dilation_across", number(dilations[1])},
            {"height", number(x.extents[2])},        {"width", number(x.extents[3])}};
  }

  /// A convolution as product of weights and windows: groups are in the batch, the common dimension has the channels of a
  /// group, for each of them the rows and columns of a window. Empty: the strides do not allow it.
  std::optional<Call> as_product(const Call& plain, const Convolution& convolution) const {
    const Operand &x = op_.inputs[0], &weights = op_.inputs[1], &result = op_.outputs[0];
    const Extents &e = weights.extents, &w = weights.strides;
    const auto is_stride = [&](std::size_t axis, std::int64_t stride) {
      return e[axis] == 1 || w[axis] == stride;
    };
    const bool is_contiguous = is_stride(3, 1) && is_stride(2, e[3]) && is_stride(1, e[2] * e[3]);
    const auto is_flat = [&](const Operand& one) { return !one.given() || flat(one); };
    if (!is_contiguous || !std::all_of(op_.inputs.begin() + 2, op_.inputs.end(), is_flat) || !flat(result))
      return std::nullopt;
    const std::int64_t groups = convolution.groups, rows = result.extents[1] / groups,
                       columns = result.extents[2] * result.extents[3], depth = e[1] * e[2] * e[3];
    Call call = plain;
    call.op = "ConvAsProduct";
    call.extents = {result.extents[0], groups, rows, columns, depth};
    const auto like_result = [&](const Operand& operand) {
      const Operand line = *flat(operand);
      const Extents& s = line.strides;
      return Operand{line.tensor, line.offset, call.extents, {s[0], s[1] * rows, s[1], s[2], 0}};
    };
    call.result = like_result(result);
    const Extents& a = x.strides;
    call.operands = {
        {"weights", {weights.tensor, weights.offset, call.extents, {0, w[0] * rows, w[0], 0, 1}}, {}},
        {"x", {x.tensor, x.offset, call.extents, {a[0], a[1] * e[1], a[2], a[3], a[1]}}, {}}};
    add_terms(call, like_result);
    call.integers["width_of_result"] = static_cast<double>(result.extents[3]);
    call.facts = {{"rows", static_cast<double>(rows)},
                  {"columns", static_cast<double>(columns)},
                  {"depth", static_cast<double>(depth)}};
    return call;
  }

  /// Rows and columns of a picture, as one axis; empty: their strides differ.
  static std::optional<Operand> flat(const Operand& picture) {
    const Extents &e = picture.extents, &s = picture.strides;
    if (e[2] != 1 && s[2] != e[3] * s[3]) return std::nullopt;
    return Operand{picture.tensor, picture.offset, {e[0], e[1], e[2] * e[3]}, {s[0], s[1], s[3]}};
  }

  /// Of 1 x 1 windows, each element of a picture: weights times pictures.
  bool is_product(const Convolution& convolution) const {
    const Extents& weights = op_.inputs[1].extents;
    const bool is_plain = weights[2] == 1 && weights[3] == 1 && convolution.groups == 1 &&
                          convolution.strides == std::array<std::int64_t, 2>{1, 1} &&
                          convolution.pads == std::array<std::int64_t, 4>{};
    return is_plain && flat(op_.outputs[0]) &&
           std::all_of(op_.inputs.begin(), op_.inputs.end(), [&](const Operand& one) {
             return &one == &op_.inputs[1] || !one.given() || flat(one);
           });
  }
  void of_product(const Convolution& convolution) {
    Operator product{op_.name, {}, Product{1, convolution.function, false}, {}, {*flat(op_.outputs[0])}};
    const Operand& weights = op_.inputs[1];
    product.inputs = {{weights.tensor,
                       weights.offset,
                       {op_.outputs[0].extents[0], weights.extents[0], weights.extents[1]},
                       {0, weights.strides[0], weights.strides[1]}},
                      *flat(op_.inputs[0])};
    for (std::size_t i = 2; i < op_.inputs.size(); ++i)
      product.inputs.push_back(op_.inputs[i].given() ? *flat(op_.inputs[i]) : Operand());
    Calls calls(product, memory_);
    calls(std::get<Product>(product.parameters));
    for (Call& call : calls.calls_) calls_.push_back(std::move(call));
  }

  void rows(const char* name, double epsilon, bool has_bias) {
    Call call = base(name, as_rows(op_.outputs[0]), op_.inputs[0]);
    call.extents = call.result.extents;
    add_factors(call, epsilon, has_bias, true);
    call.items = rows_of(op_.outputs[0].extents);
    calls_.push_back(std::move(call));
  }

  void add_factors(Call& call, double epsilon, bool has_bias, bool adds_axis) const {
    const auto shaped = [&](const Operand& operand) { return adds_axis ? as_rows(operand) : operand; };
    const auto add = [&](const char* name, std::size_t i, std::uint64_t otherwise) {
      if (i < op_.inputs.size() && op_.inputs[i].given())
        call.operands.push_back({name, shaped(op_.inputs[i]), {}});
      else call.operands.push_back({name, {}, otherwise});
    };
    call.operands.push_back({"x", shaped(op_.inputs[0]), {}});
    add("scale", 1, memory_.ones.at(type(op_.inputs[0])));
    if (has_bias) add("bias", 2, memory_.zero);
    call.scalars = {{"epsilon", epsilon}};
  }

  const Operator& op_;
  const KernelMemory& memory_;
  std::vector<Call> calls_;
};

}  // namespace

std::vector<Call> calls_of(const Operator& op, const KernelMemory& memory) {
  Calls calls(op, memory);
  std::visit(calls, op.parameters);
  return std::move(calls).take();
}

}  // namespace spica::network
