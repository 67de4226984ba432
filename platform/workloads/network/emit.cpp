// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/emit.h"

#include <algorithm>

#include "models/base/invariant.h"
#include "platform/workloads/network/node_types.h"
#include "platform/workloads/network/row_axes.h"

namespace spica::network {

namespace {

/// The only user of a value, if its result is a view of the value; kNone if it has several.
std::size_t view_user(const Matcher& matcher, std::size_t value) {
  if (matcher.value(value).is_output || matcher.users(value).size() != 1) return kNone;
  const std::size_t user = matcher.users(value)[0];
  const NodeType* type = find_node_type(matcher.node(user).type);
  return !matcher.claimed(user) && type != nullptr && type->is_view &&
                 matcher.node(user).outputs.size() == 1 && matcher.node(user).inputs[0] == value
             ? user
             : kNone;
}

/// The order of axes in memory: that of a following Transpose, if views after it would need two strides in an axis, or
/// its result is an output. Empty: that of the model.
std::vector<std::size_t> memory_order(const Matcher& matcher, std::size_t value) {
  const std::size_t transpose = view_user(matcher, value);
  if (transpose == kNone || matcher.node(transpose).type != "Transpose") return {};
  const Extents& extents = matcher.extents(value);
  View numbered;  // each axis has its number as stride
  for (std::size_t i = 0; i < extents.size(); ++i)
    numbered.axes.push_back({{2, static_cast<std::int64_t>(i)}});
  std::vector<std::size_t> order;
  const std::optional<View> transposed = apply_view(NodeScope(matcher.graph(), transpose), numbered, 0);
  for (const Axis& axis : transposed->axes) order.push_back(static_cast<std::size_t>(axis[0].stride));
  View view = View::contiguous(extents);
  for (std::size_t user = transpose; user != kNone; user = view_user(matcher, value)) {
    const auto next = apply_view(NodeScope(matcher.graph(), user), view, 0);
    if (!next) return order;
    view = *next;
    value = matcher.output(user);
  }
  return matcher.value(value).is_output || !is_plain(view) ? order : std::vector<std::size_t>();
}

std::vector<std::size_t> last_axis(const Extents& extents) { return {extents.size() - 1}; }

/// The axes that a Softmax, LayerNormalization or a recognised norm covers.
std::vector<std::size_t> row_axes(const EmitContext& context) {
  const Extents& extents = context.matcher.extents(context.draft.inputs[0]);
  const std::string& type = context.node().type;
  const bool softmax = type == "Softmax" || type == "LogSoftmax";
  if (!softmax && type != "LayerNormalization" && type != "RMSNormalization") return last_axis(extents);
  const std::size_t first = first_row_axis(context.scope());
  std::vector<std::size_t> axes;
  const bool one = softmax && context.graph().opset >= 13;
  for (std::size_t i = first; i < (one ? first + 1 : extents.size()); ++i) axes.push_back(i);
  return axes;
}

struct Emitter {
  const EmitContext& context;

  void operator()(const Elementwise&) const {
    if (context.node().type == "BatchNormalization") emit_channel_terms(context);
    else if (context.node().type == "Trilu") emit_triangle(context);
    else emit_elementwise(context);
  }
  void operator()(const Quantize&) const { emit_elementwise(context); }
  void operator()(const Dequantize&) const { emit_elementwise(context); }
  void operator()(const Copy&) const { emit_concat(context); }
  void operator()(const Softmax&) const { emit_rows(context, row_axes(context)); }
  void operator()(const LayerNorm&) const { emit_rows(context, row_axes(context)); }
  void operator()(const RmsNorm&) const { emit_rows(context, row_axes(context)); }
  void operator()(const Rotary&) const { emit_rows(context, row_axes(context)); }
  void operator()(const GroupNorm&) const { emit_group_norm(context); }
  void operator()(const Product&) const { emit_product(context); }
  void operator()(const Convolution&) const { emit_convolution(context); }
  void operator()(const Gather&) const { emit_gather(context); }
  void operator()(const Pool&) const { emit_pool(context); }
  void operator()(const TopK&) const { emit_top_k(context); }
  void operator()(const CumulativeSum&) const { emit_cumulative_sum(context); }
  void operator()(const Resize&) const { emit_resize(context); }
  void operator()(const OneHot&) const { emit_one_hot(context); }
  void operator()(const Recurrent&) const { emit_recurrent(context); }
  void operator()(const Reduce&) const {
    std::vector<std::size_t> axes;
    if (context.node().type.substr(0, 6) == "Global")
      for (std::size_t i = 2; i < context.matcher.extents(context.draft.inputs[0]).size(); ++i)
        axes.push_back(i);
    else axes = reduced_axes(context.scope());
    emit_reduction(context, axes);
  }
  template <class Other>
  void operator()(const Other&) const {
    emit_plain(context);
  }
};

}  // namespace

Placed EmitContext::output(std::size_t i) const {
  return placement.create(draft.outputs[i], memory_order(matcher, draft.outputs[i]));
}

Operator EmitContext::start() const { return {node().name, draft.nodes, draft.parameters, {}, {}}; }

Placed expanded(Placed placed, const Extents& extents) {
  if (placed.given()) placed.view = placed.view.expanded(extents);
  return placed;
}

std::vector<std::size_t> other_axes(std::size_t rank, const std::vector<std::size_t>& without) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < rank; ++i)
    if (std::find(without.begin(), without.end(), i) == without.end()) axes.push_back(i);
  return axes;
}

std::vector<Loop> loops_over(const EmitContext& context, std::vector<Placed>& operands, std::size_t inputs,
                             const std::vector<std::size_t>& axes) {
  for (const bool last : {false, true}) {
    std::int64_t extent = 1;
    for (const Placed& operand : operands)
      if (operand.given()) extent = extent_of(joined(operand.view, axes));
    std::vector<Axis> parts;
    for (const Placed& operand : operands)
      parts.push_back(operand.given() ? joined(operand.view, axes) : merged({{extent, 0}}));
    if (auto loops = align(parts)) return *loops;
    SPICA_INVARIANT(!last);
    for (std::size_t i = 0; i < inputs; ++i)
      if (operands[i].given() && !is_plain(operands[i].view))
        operands[i] = context.placement.copy(operands[i], kNone, context.node().name + "/copy");
  }
  return {};
}

void emit(const EmitContext& context) { std::visit(Emitter{context}, context.draft.parameters); }

}  // namespace spica::network
