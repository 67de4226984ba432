// SPDX-License-Identifier: Apache-2.0
// Products, convolutions and pooling.
#include <algorithm>

#include "platform/workloads/network_run/calls.h"

namespace spica::network {

void ProductCalls::operator()(const Product& product) {
  const Operand& result = op_.outputs[0];
  const std::size_t rank = result.extents.size();
  const std::int64_t depth = op_.inputs[0].extents[rank - 1];
  Call call = base("Product", result, op_.inputs[0]);
  call.extents.push_back(depth);
  const auto with = [&](const Operand& operand, std::int64_t row, std::int64_t column, std::int64_t common) {
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
  call.operands = {{"a", with(a, a.strides[rank - 2], 0, a.strides[rank - 1]), {}, true},
                   {"b", with(b, 0, b.strides[rank - 1], b.strides[rank - 2]), {}, true}};
  add_terms(call, of_result);
  call.scalars = {{"scale", product.scale}};
  call.function = product.function;
  call.facts = {{"rows", static_cast<double>(result.extents[rank - 2])},
                {"columns", static_cast<double>(result.extents[rank - 1])},
                {"depth", static_cast<double>(depth)},
                {"stride_of_a_along_k", static_cast<double>(a.strides[rank - 1])},
                {"stride_of_b_along_k", static_cast<double>(b.strides[rank - 2])},
                {"stride_of_b_along_n", static_cast<double>(b.strides[rank - 1])},
                {"is_even_a", static_cast<double>(has_even_rows(a))},
                {"is_even_b", static_cast<double>(has_even_rows(b))}};
  calls_.push_back(std::move(call));
}

void ProductCalls::operator()(const Convolution& convolution) {
  if (convolution.transposed) return of_phases(convolution);
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

void ProductCalls::operator()(const Pool& pool) {
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
  call.integers["padded_height"] = static_cast<double>(x.extents[2] + pool.pads[2]);
  call.integers["padded_width"] = static_cast<double>(x.extents[3] + pool.pads[3]);
  call.integers["count_include_pad"] = pool.counts_padding ? 1 : 0;
  calls_.push_back(std::move(call));
}

bool ProductCalls::has_even_rows(const Operand& matrix) {
  std::size_t odd = matrix.offset % 2 != 0 ? 2 : 0;
  for (std::size_t axis = 0; axis < matrix.strides.size(); ++axis)
    odd += matrix.extents[axis] != 1 && matrix.strides[axis] % 2 != 0 ? 1 : 0;
  return odd <= 1;  // that of neighbours in a row
}

void ProductCalls::of_phases(const Convolution& convolution) {
  const Operand &x = op_.inputs[0], &weights = op_.inputs[1], &result = op_.outputs[0];
  struct Phase {
    std::int64_t first, count, of_window, window, pad;
  };
  const auto phases = [&](std::size_t i) {
    const std::int64_t stride = convolution.strides[i], dilation = convolution.dilations[i],
                       pad = convolution.pads[i], window = weights.extents[2 + i];
    if (stride > 1 && dilation > 1)
      throw NoKernel("a transposed convolution has a stride and a dilation; supported: one of them");
    std::vector<Phase> all;
    for (std::int64_t first = 0; first < std::min(stride, result.extents[2 + i]); ++first) {
      const std::int64_t of_window = (first + pad) % stride,
                         elements = std::max<std::int64_t>((window - of_window + stride - 1) / stride, 0);
      all.push_back({first, (result.extents[2 + i] - first + stride - 1) / stride, of_window, elements,
                     (elements - 1) * dilation - (first + pad - of_window) / stride});
    }
    return all;
  };
  const std::int64_t groups = convolution.groups, of_result = weights.extents[1],
                     of_x = weights.extents[0] / groups;
  for (const Phase& down : phases(0))
    for (const Phase& across : phases(1)) {
      Call call = base("Conv", result, x);
      call.extents = {result.extents[0], groups, of_result, down.count, across.count, of_x};
      call.items = elements_of(call.extents) / static_cast<std::uint64_t>(of_x);
      const auto like_result = [&](const Operand& operand) {
        const Extents& s = operand.strides;
        return Operand{
            operand.tensor,
            operand.offset + down.first * s[2] + across.first * s[3],
            call.extents,
            {s[0], s[1] * of_result, s[1], s[2] * convolution.strides[0], s[3] * convolution.strides[1], 0}};
      };
      call.result = like_result(result);
      const Extents &a = x.strides, &w = weights.strides;
      const std::int64_t last_row = down.of_window + (down.window - 1) * convolution.strides[0],
                         last_column = across.of_window + (across.window - 1) * convolution.strides[1];
      call.operands = {
          {"x", {x.tensor, x.offset, call.extents, {a[0], a[1] * of_x, 0, a[2], a[3], a[1]}}, {}},
          {"weights",
           {weights.tensor,
            weights.offset + last_row * w[2] + last_column * w[3],
            call.extents,
            {0, w[0] * of_x, w[1], -w[2] * convolution.strides[0], -w[3] * convolution.strides[1], w[0]}},
           {}}};
      add_terms(call, like_result);
      call.integers = windows({down.window, across.window}, {1, 1}, {down.pad, across.pad, 0, 0},
                              convolution.dilations, x);
      call.scalars = {
          {"scale", 1}, {"least", convolution.function.alpha}, {"most", convolution.function.beta}};
      call.facts = {{"channels_of_group", static_cast<double>(of_x)}};
      call.function = convolution.function;
      calls_.push_back(std::move(call));
    }
}

std::map<std::string, double> ProductCalls::windows(const std::array<std::int64_t, 2>& window,
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

std::optional<Call> ProductCalls::as_product(const Call& plain, const Convolution& convolution) const {
  const Operand &x = op_.inputs[0], &weights = op_.inputs[1], &result = op_.outputs[0];
  const Extents &e = weights.extents, &w = weights.strides;
  const auto is_stride = [&](std::size_t axis, std::int64_t stride) {
    return e[axis] == 1 || w[axis] == stride;
  };
  const bool is_contiguous = is_stride(1, 1) && is_stride(3, e[1]) && is_stride(2, e[1] * e[3]);
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
      {"weights", {weights.tensor, weights.offset, call.extents, {0, w[0] * rows, w[0], 0, 1}}, {}, true},
      {"x", {x.tensor, x.offset, call.extents, {a[0], a[1] * e[1], a[2], a[3], a[1]}}, {}}};
  add_terms(call, like_result);
  call.integers["width_of_result"] = static_cast<double>(result.extents[3]);
  call.integers["channels_of_group"] = static_cast<double>(e[1]);
  call.facts = {{"rows", static_cast<double>(rows)},
                {"columns", static_cast<double>(columns)},
                {"depth", static_cast<double>(depth)}};
  return call;
}

std::optional<Operand> ProductCalls::flat(const Operand& picture) {
  const Extents &e = picture.extents, &s = picture.strides;
  if (e[2] != 1 && s[2] != e[3] * s[3]) return std::nullopt;
  return Operand{picture.tensor, picture.offset, {e[0], e[1], e[2] * e[3]}, {s[0], s[1], s[3]}};
}

bool ProductCalls::is_product(const Convolution& convolution) const {
  const Extents& weights = op_.inputs[1].extents;
  const bool is_plain = weights[2] == 1 && weights[3] == 1 && convolution.groups == 1 &&
                        convolution.strides == std::array<std::int64_t, 2>{1, 1} &&
                        convolution.pads == std::array<std::int64_t, 4>{};
  return is_plain && flat(op_.outputs[0]) &&
         std::all_of(op_.inputs.begin(), op_.inputs.end(),
                     [&](const Operand& one) { return &one == &op_.inputs[1] || !one.given() || flat(one); });
}

void ProductCalls::of_product(const Convolution& convolution) {
  Operator product{op_.name, {}, Product{1, convolution.function}, {}, {*flat(op_.outputs[0])}};
  const Operand& weights = op_.inputs[1];
  product.inputs = {{weights.tensor,
                     weights.offset,
                     {op_.outputs[0].extents[0], weights.extents[0], weights.extents[1]},
                     {0, weights.strides[0], weights.strides[1]}},
                    *flat(op_.inputs[0])};
  for (std::size_t i = 2; i < op_.inputs.size(); ++i)
    product.inputs.push_back(op_.inputs[i].given() ? *flat(op_.inputs[i]) : Operand());
  append(calls_of(product, memory_));
}

}  // namespace spica::network
