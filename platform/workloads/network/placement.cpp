// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/placement.h"

#include <algorithm>

#include "models/base/invariant.h"

namespace spica::network {

Placement::Placement(Network& network) : network_(network), placed_(network.graph.values.size()) {
  for (const std::size_t input : graph().inputs) {
    create(input);
    network_.tensors.back().role = Tensor::Role::kInput;
  }
}

Placed Placement::of(std::size_t value) {
  if (value == kNone) return {};
  if (!placed_[value]) {
    const Value& constant = graph().values[value];
    SPICA_INVARIANT(constant.constant.has_value());  // operators are in order
    create(value);
    network_.tensors.back().role = Tensor::Role::kConstant;
    network_.tensors.back().constant = constant.constant;
  }
  return *placed_[value];
}

Placed Placement::create(std::size_t value, const std::vector<std::size_t>& order) {
  const Value& of = graph().values[value];
  Tensor tensor{of.name, of.type, *of.extents, Tensor::Role::kActivation, std::nullopt};
  View view = View::contiguous(tensor.extents);
  if (!order.empty()) {
    for (std::size_t i = 0; i < order.size(); ++i) tensor.extents[i] = (*of.extents)[order[i]];
    std::vector<std::size_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
    view = View::contiguous(tensor.extents).permuted(back);
  }
  network_.tensors.push_back(std::move(tensor));
  placed_[value] = Placed{network_.tensors.size() - 1, std::move(view)};
  return *placed_[value];
}

Placed Placement::create(const std::string& name, ElementType type, const Extents& extents) {
  network_.tensors.push_back({name, type, extents, Tensor::Role::kActivation, std::nullopt});
  return {network_.tensors.size() - 1, View::contiguous(extents)};
}

Placed Placement::create(const std::string& name, Constant constant) {
  const Placed placed = create(name, constant.type, constant.extents);
  network_.tensors.back().role = Tensor::Role::kConstant;
  network_.tensors.back().constant = std::move(constant);
  return placed;
}

Placed Placement::copy(const Placed& from, std::size_t value, const std::string& name, std::size_t node) {
  Placed to = create(name, type(from), from.view.extents());
  const auto loops = align({all_of(from.view), all_of(to.view)});
  SPICA_INVARIANT(loops.has_value());  // a contiguous view fits any other
  Operator added{name, {}, Copy{}, {loop_operand(from, *loops, 0)}, {loop_operand(to, *loops, 1)}};
  if (value != kNone) {
    const std::size_t producer = graph().values[value].producer;
    if (producer != kNone && network_.rows[producer].state == Row::State::kView) node = producer;
    placed_[value] = to;
  }
  if (node != kNone) added.nodes.push_back(node);
  add(std::move(added));
  return to;
}

Placed Placement::plain(std::size_t value) {
  Placed placed = of(value);
  if (!placed.given() || is_plain(placed.view)) return placed;
  return copy(placed, value, graph().values[value].name);
}

void Placement::add(Operator added) {
  network_.operators.push_back(std::move(added));
  set_rows(network_.operators.back(), network_.operators.size() - 1);
}

void Placement::set_rows(const Operator& added, std::size_t index) {
  for (const std::size_t node : added.nodes)
    network_.rows[node] = {
        graph().nodes[node].name == added.name ? Row::State::kOperator : Row::State::kFused, index};
  const bool is_named = std::any_of(added.nodes.begin(), added.nodes.end(), [&](std::size_t node) {
    return network_.rows[node].state == Row::State::kOperator;
  });
  if (!added.nodes.empty() && !is_named) network_.rows[added.nodes.back()].state = Row::State::kOperator;
}

Operand loop_operand(const Placed& placed, const std::vector<Loop>& loops, std::size_t i) {
  Operand operand{placed.tensor, placed.view.offset, {}, {}};
  for (const Loop& loop : loops) {
    operand.extents.push_back(loop.extent);
    operand.strides.push_back(loop.strides[i]);
  }
  return operand;
}

bool is_plain(const View& view) {
  return std::all_of(view.axes.begin(), view.axes.end(),
                     [](const Axis& axis) { return merged(axis).size() <= 1; });
}

Operand plain_operand(const Placed& placed) {
  Operand operand{placed.tensor, placed.view.offset, {}, {}};
  for (const Axis& axis : placed.view.axes) {
    const Axis parts = merged(axis);
    SPICA_INVARIANT(parts.size() <= 1);
    operand.extents.push_back(parts.empty() ? 1 : parts[0].extent);
    operand.strides.push_back(parts.empty() ? 0 : parts[0].stride);
  }
  return operand;
}

}  // namespace spica::network
