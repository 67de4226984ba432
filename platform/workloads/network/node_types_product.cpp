// SPDX-License-Identifier: Apache-2.0
// Products, convolutions, pooling, quantisation and recurrent cells.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "platform/workloads/network/einsum.h"
#include "platform/workloads/network/node_types.h"
#include "platform/workloads/network/windows.h"

namespace spica::network {

namespace {

[[noreturn]] void refuse_extents(const NodeScope& scope) {
  throw NodeError(fmt::format("extents {} and {} do not fit together", extents_text(scope.extents(0)),
                              extents_text(scope.extents(1))));
}

void require_floating(const NodeScope& scope) {
  if (!is_floating(scope.type(0)) || scope.type(0) != scope.type(1))
    throw NodeError(
        fmt::format("operands of {} and {}; supported: two of one floating-point type; quantise in QDQ form",
                    name_of(scope.type(0)), name_of(scope.type(1))));
}

void infer_matmul(NodeScope& scope) {
  require_floating(scope);
  Extents a = scope.extents(0), b = scope.extents(1);
  if (a.empty() || b.empty()) refuse_extents(scope);
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  if (a.back() != b[b.size() - 2]) refuse_extents(scope);
  Extents result = broadcast(Extents(a.begin(), a.end() - 2), Extents(b.begin(), b.end() - 2));
  if (!row) result.push_back(a[a.size() - 2]);
  if (!column) result.push_back(b.back());
  scope.set(0, scope.type(0), std::move(result));
}

void infer_gemm(NodeScope& scope) {
  require_floating(scope);
  if (scope.rank(0) != 2 || scope.rank(1) != 2) refuse_extents(scope);
  const bool ta = scope.node().integer("transA", 0) != 0, tb = scope.node().integer("transB", 0) != 0;
  const Extents &a = scope.extents(0), &b = scope.extents(1);
  if (a[ta ? 0 : 1] != b[tb ? 1 : 0]) refuse_extents(scope);
  Extents result{a[ta ? 1 : 0], b[tb ? 0 : 1]};
  if (scope.given(2)) {
    if (broadcast(result, scope.extents(2)) != result) throw NodeError("input 'C' does not fit the product");
    if (scope.node().number("beta", 1) != 1) throw NodeError("attribute 'beta' must be 1");
  }
  scope.set(0, scope.type(0), std::move(result));
}

Extents spatial(const Extents& extents) {
  return extents.size() < 2 ? Extents() : Extents(extents.begin() + 2, extents.end());
}

Extents with_spatial(const Extents& x, std::int64_t channels, const Windows& windows) {
  Extents result{x[0], channels};
  if (x.size() == 4) result.push_back(windows.output[0]);
  result.push_back(windows.output[1]);
  return result;
}

void check_kernel(const NodeScope& scope, const Extents& kernel) {
  const auto given = scope.node().integer_list("kernel_shape");
  if (given && *given != kernel) throw NodeError("attribute 'kernel_shape' is not that of its weights");
}

void check_bias(const NodeScope& scope, std::int64_t channels) {
  if (scope.given(2) && scope.extents(2) != Extents{channels})
    throw NodeError(fmt::format("a bias of {} for {} channels", extents_text(scope.extents(2)), channels));
}

void infer_convolution(NodeScope& scope) {
  require_floating(scope);
  const Extents &x = scope.extents(0), &w = scope.extents(1);
  if (x.size() < 3 || w.size() != x.size()) refuse_extents(scope);
  const std::int64_t groups = scope.node().integer("group", 1);
  if (groups < 1 || x[1] % groups != 0 || w[0] % groups != 0 || x[1] / groups != w[1]) refuse_extents(scope);
  const Extents kernel = spatial(w);
  check_kernel(scope, kernel);
  check_bias(scope, w[0]);
  scope.set(0, scope.type(0), with_spatial(x, w[0], windows_of(scope, kernel)));
}

void infer_transposed_convolution(NodeScope& scope) {
  require_floating(scope);
  const Extents &x = scope.extents(0), &w = scope.extents(1);
  if (x.size() < 3 || w.size() != x.size()) refuse_extents(scope);
  const std::int64_t groups = scope.node().integer("group", 1);
  if (groups < 1 || groups > kMaxElements || x[1] != w[0] || x[1] % groups != 0) refuse_extents(scope);
  if (w[1] > kMaxElements / groups) refuse_extents(scope);
  const Extents kernel = spatial(w);
  check_kernel(scope, kernel);
  check_bias(scope, w[1] * groups);
  scope.set(0, scope.type(0), with_spatial(x, w[1] * groups, transposed_windows_of(scope, kernel)));
}

void infer_pool(NodeScope& scope) {
  const auto kernel = scope.node().integer_list("kernel_shape");
  if (!kernel) throw NodeError("attribute 'kernel_shape' is missing");
  if (scope.node().integer("storage_order", 0) != 0) throw NodeError("attribute 'storage_order' must be 0");
  const Windows windows = windows_of(scope, *kernel);
  for (std::size_t i = 0; i < 4; ++i)
    if (windows.pads[i] >= (windows.kernel[i % 2] - 1) * windows.dilations[i % 2] + 1)
      throw NodeError("its padding is as large as its window");
  scope.set(0, scope.type(0), with_spatial(scope.extents(0), scope.extents(0)[1], windows));
}

void infer_global_pool(NodeScope& scope) {
  Extents result = scope.extents(0);
  if (result.size() < 3) throw NodeError("an input without spatial axes");
  std::fill(result.begin() + 2, result.end(), 1);
  scope.set(0, scope.type(0), std::move(result));
}

void infer_einsum(NodeScope& scope) {
  const Einsum einsum = parse_einsum(scope.node().text("equation", ""), scope.inputs());
  std::map<char, std::int64_t> extent_of_letter;
  for (std::size_t i = 0; i < scope.inputs(); ++i) {
    const std::string& letters = i == 0 ? einsum.a : einsum.b;
    if (letters.size() != scope.extents(i).size()) throw NodeError("its equation has another number of axes");
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      const std::int64_t extent = scope.extents(i)[axis];
      if (extent_of_letter.emplace(letters[axis], extent).first->second != extent)
        throw NodeError(std::string("its operands disagree about axis '") + letters[axis] + "'");
    }
  }
  if (einsum.two) require_floating(scope);
  Extents result;
  for (const char letter : einsum.result) result.push_back(extent_of_letter.at(letter));
  scope.set(0, scope.type(0), std::move(result));
}

void check_quantisation(const NodeScope& scope, ElementType integer) {
  if (integer != ElementType::kInt8 && integer != ElementType::kUint8 && integer != ElementType::kInt32)
    throw NodeError(fmt::format("{} is not supported; supported: int8, uint8, int32", name_of(integer)));
  const Extents &x = scope.extents(0), &s = scope.extents(1);
  if (scope.node().integer("block_size", 0) != 0) throw NodeError("attribute 'block_size' must be 0");
  if (s.size() > 1 || (s.size() == 1 && s[0] != 1 && s[0] != x[scope.axis_attribute(1, scope.rank(0))]))
    throw NodeError(fmt::format("scales of {} for {}", extents_text(s), extents_text(x)));
  if (scope.given(2) && element_count(scope.extents(2)) != element_count(s))
    throw NodeError("zero points and scales are not equally many");
}

void infer_quantize(NodeScope& scope) {
  const ElementType type = scope.given(2) ? scope.type(2) : ElementType::kUint8;
  check_quantisation(scope, type);
  scope.set(0, type, scope.extents(0));
}

void infer_dequantize(NodeScope& scope) {
  check_quantisation(scope, scope.type(0));
  scope.set(0, scope.type(1), scope.extents(0));
}

void fold_quantize(NodeScope& scope) {
  const Constant &x = *scope.constant(0), &s = *scope.constant(1);
  const Constant* zero = scope.constant(2);
  std::int64_t inner = 1;
  if (s.elements() > 1)
    for (std::size_t i = scope.axis_attribute(1, scope.rank(0)) + 1; i < x.extents.size(); ++i)
      inner *= x.extents[i];
  const bool is_signed = scope.result_type(0) == ElementType::kInt8;
  ConstantBuilder builder(scope.result_type(0), x.extents);
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    const std::int64_t channel = s.elements() > 1 ? i / inner % s.elements() : 0;
    const double value =
        std::nearbyint(static_cast<float>(x.number_at(i)) / static_cast<float>(s.number_at(channel))) +
        (zero != nullptr ? zero->number_at(channel) : 0);
    const double least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
    builder.set(i, value > most ? most : value >= least ? value : least);
  }
  scope.set(0, std::move(builder).finish());
}

/// Of an int32 bias: an addend of a quantised product in FP32.
void fold_dequantize(NodeScope& scope) {
  const Constant &q = *scope.constant(0), &s = *scope.constant(1);
  const Constant* zero = scope.constant(2);
  std::int64_t inner = 1;
  if (s.elements() > 1)
    for (std::size_t i = scope.axis_attribute(1, scope.rank(0)) + 1; i < q.extents.size(); ++i)
      inner *= q.extents[i];
  ConstantBuilder builder(s.type, q.extents);
  for (std::int64_t i = 0; i < q.elements(); ++i) {
    const std::int64_t channel = s.elements() > 1 ? i / inner % s.elements() : 0;
    builder.set(i,
                (q.number_at(i) - (zero != nullptr ? zero->number_at(channel) : 0)) * s.number_at(channel));
  }
  scope.set(0, std::move(builder).finish());
}

void infer_recurrent(NodeScope& scope) {
  const Extents &x = scope.extents(0), &w = scope.extents(1), &r = scope.extents(2);
  const std::int64_t gates = scope.node().type == "LSTM" ? 4 : 3;
  const std::string direction = scope.node().text("direction", "forward");
  const std::int64_t directions = direction == "bidirectional" ? 2 : 1,
                     hidden = scope.node().integer("hidden_size", 0);
  if (direction != "forward" && direction != "reverse" && directions == 1)
    throw NodeError("attribute 'direction' = '" + direction +
                    "'; supported: forward, reverse, bidirectional");
  if (scope.node().integer("layout", 0) != 0) throw NodeError("attribute 'layout' must be 0");
  if (scope.given(4)) throw NodeError("input 'sequence_lens' is not supported; pad to the full length");
  if (scope.given(7)) throw NodeError("input 'P' (peepholes) is not supported");
  if (x.size() != 3 || hidden < 1 || hidden > (1 << 24) || w != Extents{directions, gates * hidden, x[2]} ||
      r != Extents{directions, gates * hidden, hidden})
    refuse_extents(scope);
  scope.set(0, scope.type(0), {x[0], directions, x[1], hidden});
  for (const std::size_t i : {1U, 2U}) scope.set(i, scope.type(0), {directions, x[1], hidden});
}

}  // namespace

std::vector<NodeType> product_node_types() {
  constexpr std::string_view kConvolution = "auto_pad:s dilations:l group:i kernel_shape:l pads:l strides:l";
  constexpr std::string_view kTransposed =
      "auto_pad:s dilations:l group:i kernel_shape:l output_padding:l pads:l strides:l";
  constexpr std::string_view kMaxPool =
      "auto_pad:s ceil_mode:i dilations:l kernel_shape:l pads:l storage_order:i strides:l";
  constexpr std::string_view kAveragePool =
      "auto_pad:s ceil_mode:i count_include_pad:i dilations:l kernel_shape:l pads:l strides:l";
  constexpr std::string_view kQuantize = "axis:i saturate:i block_size:i output_dtype:i";
  return {{"MatMul", 2, 2, 1, "", infer_matmul},
          {"Gemm", 2, 3, 1, "alpha:f beta:f transA:i transB:i", infer_gemm},
          {"Einsum", 1, 2, 1, "equation:s", infer_einsum},
          {"Conv", 2, 3, 1, kConvolution, infer_convolution},
          {"ConvTranspose", 2, 3, 1, kTransposed, infer_transposed_convolution},
          {"MaxPool", 1, 1, 1, kMaxPool, infer_pool},
          {"AveragePool", 1, 1, 1, kAveragePool, infer_pool},
          {"GlobalAveragePool", 1, 1, 1, "", infer_global_pool},
          {"GlobalMaxPool", 1, 1, 1, "", infer_global_pool},
          {"QuantizeLinear", 2, 3, 1, kQuantize, infer_quantize, fold_quantize},
          {"DequantizeLinear", 2, 3, 1, "axis:i block_size:i", infer_dequantize, fold_dequantize},
          {"LSTM", 3, 8, 3, "direction:s hidden_size:i layout:i", infer_recurrent},
          {"GRU", 3, 6, 2, "direction:s hidden_size:i layout:i linear_before_reset:i", infer_recurrent}};
}

}  // namespace spica::network
