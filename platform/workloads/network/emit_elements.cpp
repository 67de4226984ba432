// SPDX-License-Identifier: Apache-2.0
// Operators that treat each element by itself, or move elements.
#include "platform/workloads/network/emit.h"

namespace spica::network {

namespace {

/// Scales and zero points of one channel each, along `axis`, or of the whole tensor.
Placed channel_view(Placed placed, const Extents& extents, std::size_t axis) {
  if (!placed.given()) return placed;
  Extents shape(extents.size(), 1);
  if (element_count(placed.view.extents()) > 1) shape[axis] = extents[axis];
  placed.view = placed.view.reshaped(shape)->expanded(extents);
  return placed;
}

/// The operator of the draft over all elements of operands, the last of which is the result.
void emit_each(const EmitContext& context, std::vector<Placed> operands) {
  std::vector<std::size_t> axes(operands.back().view.axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  const std::vector<Loop> loops = loops_over(context, operands, operands.size() - 1, axes);
  Operator added = context.start();
  for (std::size_t i = 0; i + 1 < operands.size(); ++i)
    added.inputs.push_back(operands[i].given() ? loop_operand(operands[i], loops, i) : Operand());
  added.outputs = {loop_operand(operands.back(), loops, operands.size() - 1)};
  context.placement.add(std::move(added));
}

/// A value as elements of another type.
Placed cast(const EmitContext& context, std::size_t value, ElementType type) {
  const Placed from = context.placement.plain(value);
  if (context.placement.type(from) == type) return from;
  const Extents extents = from.view.extents();
  const std::string name = context.node().name + "/cast";
  if (const auto& constant = context.graph().values[value].constant) {
    ConstantBuilder builder(type, extents);
    for (std::int64_t i = 0; i < constant->elements(); ++i) builder.set(i, constant->number_at(i));
    return context.placement.create(name, std::move(builder).finish());
  }
  const Placed to = context.placement.create(name, type, extents);
  context.placement.add(
      {name, {}, Elementwise{Function::kCast, 0, 0}, {plain_operand(from)}, {plain_operand(to)}});
  return to;
}

}  // namespace

void emit_elementwise(const EmitContext& context) {
  const bool quantises = !std::holds_alternative<Elementwise>(context.draft.parameters);
  const bool is_power =
      !quantises && std::get<Elementwise>(context.draft.parameters).function == Function::kPow;
  const Placed y = context.output();
  const Extents extents = y.view.extents();
  std::vector<Placed> operands;
  for (std::size_t i = 0; i < context.draft.inputs.size(); ++i) {
    const Placed input = is_power && i == 1 ? cast(context, context.draft.input(1), context.placement.type(y))
                                            : context.input(i);
    const bool channels = quantises && i > 0 && !extents.empty();
    operands.push_back(channels ? channel_view(context.placement.plain(context.draft.input(i)), extents,
                                               element_count(input.view.extents()) > 1
                                                   ? context.scope().axis_attribute(
                                                         1, static_cast<std::int64_t>(extents.size()))
                                                   : 0)
                                : expanded(input, extents));
  }
  operands.push_back(y);
  emit_each(context, operands);
}

void emit_triangle(const EmitContext& context) {
  const Placed x = context.input(0), y = context.output();
  const Extents extents = y.view.extents();
  const std::int64_t rows = extents[extents.size() - 2], columns = extents.back();
  const bool is_upper = context.node().integer("upper", 1) != 0;
  const Constant* const diagonal = context.scope().constant(1);
  const std::int64_t first = diagonal != nullptr ? diagonal->integer_at(0) : 0;
  ConstantBuilder inside(ElementType::kBool, {rows, columns});
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const std::int64_t distance = i % columns - i / columns;
    inside.set(i, std::int64_t{is_upper ? distance >= first : distance <= first});
  }
  const std::string& name = context.node().name;
  const Placed mask = context.placement.create(name + "/triangle", std::move(inside).finish()),
               zero = context.placement.create(name + "/zero",
                                               ConstantBuilder(context.placement.type(x), {}).finish());
  emit_each(context, {expanded(mask, extents), x, expanded(zero, extents), y});
}

void emit_channel_terms(const EmitContext& context) {
  const Placed x = context.input(0), y = context.output();
  const Extents extents = y.view.extents();
  const Placed between = context.placement.create(context.node().name, context.placement.type(y), extents);
  std::vector<std::size_t> axes(extents.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  for (const bool sum : {false, true}) {
    std::vector<Placed> operands{sum ? between : x, expanded(context.input(sum ? 2 : 1), extents),
                                 sum ? y : between};
    const std::vector<Loop> loops = loops_over(context, operands, 2, axes);
    Operator added = context.start();
    added.parameters = Elementwise{sum ? Function::kAdd : Function::kMul, 0, 0};
    added.inputs = {loop_operand(operands[0], loops, 0), loop_operand(operands[1], loops, 1)};
    added.outputs = {loop_operand(operands[2], loops, 2)};
    context.placement.add(std::move(added));
  }
}

void emit_concat(const EmitContext& context) {
  const std::size_t axis = context.scope().axis_attribute(
      0, static_cast<std::int64_t>(context.matcher.extents(context.draft.outputs[0]).size()));
  std::vector<Placed> parts;
  for (const std::size_t input : context.draft.inputs)
    if (element_count(context.matcher.extents(input)) > 0) parts.push_back(context.placement.of(input));
  if (parts.size() == 1) {  // the others are empty
    context.placement.place(context.draft.outputs[0], parts[0]);
    context.placement.network().rows[context.draft.main] = {Row::State::kView, kNone};
    return;
  }
  const Placed y = context.output();
  Operator added = context.start();
  std::int64_t done = 0;
  for (const Placed& part : parts) {
    const std::int64_t extent = part.view.extents()[axis];
    const Placed target{y.tensor, *y.view.sliced(axis, done, 1, extent)};
    done += extent;
    std::vector<Placed> pair{part, target};
    std::vector<std::size_t> axes(part.view.axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
    const std::vector<Loop> loops = loops_over(context, pair, 1, axes);
    added.inputs.push_back(loop_operand(pair[0], loops, 0));
    added.outputs.push_back(loop_operand(target, loops, 1));
  }
  context.placement.add(std::move(added));
}

void emit_gather(const EmitContext& context) {
  const Placed data = context.placement.plain(context.draft.input(0)),
               indices = context.placement.plain(context.draft.input(1));
  const std::size_t axis =
      context.scope().axis_attribute(0, static_cast<std::int64_t>(data.view.axes.size()));
  const Placed y = context.placement.create(context.draft.outputs[0]);
  const std::size_t count = indices.view.axes.size();
  /// Axes before the gathered one, it, and those after it: one stride for each.
  const auto operand = [&](Placed from, const std::vector<std::pair<std::size_t, std::size_t>>& groups) {
    Operand result;
    for (const bool last : {false, true}) {
      result = {from.tensor, from.view.offset, {}, {}};
      bool fits = true;
      for (const auto& [first, end] : groups) {
        std::vector<std::size_t> axes;
        for (std::size_t i = first; i < end; ++i) axes.push_back(i);
        const Axis parts = joined(from.view, axes);
        fits = fits && parts.size() <= 1;
        result.extents.push_back(extent_of(parts));
        result.strides.push_back(parts.empty() ? 0 : parts[0].stride);
      }
      if (fits || last) break;
      from = context.placement.copy(from, kNone, context.node().name + "/copy");
    }
    return result;
  };
  Operator added = context.start();
  const std::size_t rank = data.view.axes.size();
  added.inputs = {operand(data, {{0, axis}, {axis, axis + 1}, {axis + 1, rank}}),
                  operand(indices, {{0, count}})};
  added.outputs = {operand(y, {{0, axis}, {axis, axis + count}, {axis + count, rank - 1 + count}})};
  context.placement.add(std::move(added));
}

void emit_one_hot(const EmitContext& context) {
  Operator added = context.start();
  for (const std::size_t input : {0U, 2U})
    added.inputs.push_back(plain_operand(context.placement.plain(context.draft.input(input))));
  added.outputs = {plain_operand(context.placement.create(context.draft.outputs[0]))};
  context.placement.add(std::move(added));
}

void emit_plain(const EmitContext& context) {
  Operator added = context.start();
  for (const std::size_t input : context.draft.inputs) {
    const Placed placed = context.placement.plain(input);
    added.inputs.push_back(placed.given() ? plain_operand(placed) : Operand());
  }
  for (const std::size_t output : context.draft.outputs)
    added.outputs.push_back(output == kNone ? Operand() : plain_operand(context.placement.create(output)));
  context.placement.add(std::move(added));
}

}  // namespace spica::network
