// SPDX-License-Identifier: Apache-2.0
// Operators along rows: softmax, norms, rotary embedding, reductions.
#include <algorithm>

#include "platform/workloads/network/emit.h"

namespace spica::network {

namespace {

/// A copy with the axes in this order.
Placed copied(const EmitContext& context, const Placed& from, const std::vector<std::size_t>& order) {
  return context.placement.copy({from.tensor, from.view.permuted(order)}, kNone,
                                context.node().name + "/copy");
}

/// Appends the row to the loops over all other axes, and makes operands of them.
Operand row_operand(const Placed& placed, const std::vector<Loop>& outer, const std::vector<Loop>& row,
                    std::size_t i) {
  if (!placed.given()) return {};
  Operand operand = loop_operand(placed, outer, i);
  operand.extents.push_back(row.empty() ? 1 : row[0].extent);
  operand.strides.push_back(row.empty() ? 0 : row[0].strides[i]);
  return operand;
}

}  // namespace

void emit_rows(const EmitContext& context, const std::vector<std::size_t>& row_axes) {
  Placed y = context.output();
  const Extents extents = y.view.extents();
  std::vector<Placed> operands;
  for (std::size_t i = 0; i < context.draft.inputs.size(); ++i)
    operands.push_back(expanded(context.input(i), extents));
  operands.push_back(y);
  const std::vector<std::size_t> outer_axes = other_axes(extents.size(), row_axes);
  std::vector<Loop> row = loops_over(context, operands, operands.size() - 1, row_axes);
  if (row.size() > 1) {  // a row needs one stride in each operand
    operands.back() = y = context.placement.create(context.draft.outputs[0]);
    for (std::size_t i = 0; i + 1 < operands.size(); ++i)
      if (operands[i].given() && joined(operands[i].view, row_axes).size() > 1)
        operands[i] = context.placement.copy(operands[i], kNone, context.node().name + "/copy");
    row = loops_over(context, operands, operands.size() - 1, row_axes);
  }
  const std::vector<Loop> outer = loops_over(context, operands, operands.size() - 1, outer_axes);
  // Operands that were copied for the outer loops have other strides in the row.
  row = loops_over(context, operands, operands.size() - 1, row_axes);
  Operator added = context.start();
  for (std::size_t i = 0; i + 1 < operands.size(); ++i)
    added.inputs.push_back(row_operand(operands[i], outer, row, i));
  added.outputs = {row_operand(y, outer, row, operands.size() - 1)};
  context.placement.add(std::move(added));
}

void emit_reduction(const EmitContext& context, const std::vector<std::size_t>& axes) {
  Placed x = context.input(0);
  const std::vector<std::size_t> outer_axes = other_axes(x.view.axes.size(), axes);
  const Placed y = context.placement.create(context.draft.outputs[0]);
  const auto align_outer = [&] { return align({joined(x.view, outer_axes), all_of(y.view)}); };
  Axis row = joined(x.view, axes);
  std::optional<std::vector<Loop>> outer = align_outer();
  if (row.size() > 1 || !outer) {
    std::vector<std::size_t> order = outer_axes;
    order.insert(order.end(), axes.begin(), axes.end());
    const Placed grouped = copied(context, x, order);
    // The axes of the copy under their old numbers.
    std::vector<std::size_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
    x = {grouped.tensor, grouped.view.permuted(back)};
    row = joined(x.view, axes);
    outer = align_outer();
  }
  Operator added = context.start();
  Operand input = loop_operand(x, *outer, 0);
  input.extents.push_back(extent_of(row));
  input.strides.push_back(row.empty() ? 0 : row[0].stride);
  added.inputs = {input};
  added.outputs = {loop_operand(y, *outer, 1)};
  context.placement.add(std::move(added));
}

void emit_top_k(const EmitContext& context) {
  const Placed x = context.placement.plain(context.draft.input(0));
  const std::size_t rank = x.view.axes.size(),
                    axis = context.scope().axis_attribute(-1, static_cast<std::int64_t>(rank));
  std::vector<std::size_t> order = other_axes(rank, {axis});
  order.push_back(axis);
  Operator added = context.start();
  added.inputs = {plain_operand({x.tensor, x.view.permuted(order)})};
  for (const std::size_t output : context.draft.outputs) {
    if (output == kNone) {
      added.outputs.emplace_back();
      continue;
    }
    const Placed y = context.placement.create(output);
    added.outputs.push_back(plain_operand({y.tensor, y.view.permuted(order)}));
  }
  context.placement.add(std::move(added));
}

void emit_cumulative_sum(const EmitContext& context) {
  const Placed x = context.placement.plain(context.draft.input(0)),
               y = context.placement.create(context.draft.outputs[0]);
  const std::size_t rank = x.view.axes.size(),
                    axis = NodeScope::axis(context.scope().constant(1)->integer_at(0),
                                           static_cast<std::int64_t>(rank));
  std::vector<std::size_t> order = other_axes(rank, {axis});
  order.push_back(axis);
  Operator added = context.start();
  added.inputs = {plain_operand({x.tensor, x.view.permuted(order)})};
  added.outputs = {plain_operand({y.tensor, y.view.permuted(order)})};
  if (context.node().integer("reverse", 0) != 0)
    for (Operand* operand : {&added.inputs[0], &added.outputs[0]}) {
      operand->offset += (operand->extents.back() - 1) * operand->strides.back();
      operand->strides.back() = -operand->strides.back();
    }
  context.placement.add(std::move(added));
}

void emit_group_norm(const EmitContext& context) {
  const Node& node = context.node();
  const Extents& extents = context.matcher.extents(context.draft.inputs[0]);
  const std::int64_t channels = extents[1];
  std::int64_t groups = node.integer("num_groups", channels);
  if (node.type == "InstanceNormalization") groups = context.matcher.extents(node.inputs[0])[1];
  std::int64_t elements = 1;
  for (std::size_t i = 2; i < extents.size(); ++i) elements *= extents[i];
  const Extents normal{extents[0], groups, channels / groups, elements};
  Placed x = context.input(0);
  const auto split = x.view.reshaped(normal);
  if (!split || !is_plain(*split)) x = context.placement.copy(x, kNone, node.name + "/copy");
  const Placed y = context.placement.create(context.draft.outputs[0]);
  Operator added = context.start();
  added.inputs = {plain_operand({x.tensor, *x.view.reshaped(normal)})};
  for (std::size_t i = 1; i < context.draft.inputs.size(); ++i) {
    const Placed weight = context.placement.plain(context.draft.input(i));
    const bool of_group = element_count(weight.view.extents()) == groups &&
                          node.type == "GroupNormalization" && context.graph().opset < 21;
    const auto shaped = weight.view.reshaped({1, groups, of_group ? 1 : channels / groups, 1});
    added.inputs.push_back(plain_operand({weight.tensor, shaped->expanded(normal)}));
  }
  added.outputs = {plain_operand({y.tensor, *y.view.reshaped(normal)})};
  context.placement.add(std::move(added));
}

}  // namespace spica::network
