// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>

#include "models/base/invariant.h"
#include "platform/workloads/network/einsum.h"
#include "platform/workloads/network/emit.h"
#include "platform/workloads/network/windows.h"

namespace spica::network {

namespace {

using Axes = std::vector<std::size_t>;

/// Operands of a product with the role of each of their axes.
struct Sides {
  enum : std::size_t { kA, kB, kBias, kResidual, kY, kOperands };
  std::array<Placed, kOperands> operands;
  Axes a_batch, a_rows, a_k, b_batch, b_k, b_columns, y_batch, y_rows, y_columns;
};

Axes range(std::size_t first, std::size_t end) {
  Axes axes(end - first);
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

/// Inserts an axis of one element.
void insert_axis(Placed& placed, std::size_t at) {
  if (placed.given())
    placed.view.axes.insert(placed.view.axes.begin() + static_cast<std::ptrdiff_t>(at), Axis());
}

Sides matmul_sides(const EmitContext& context, Placed y) {
  Sides sides;
  auto& [a, b, bias, residual, result] = sides.operands;
  a = context.input(0);
  b = context.input(1);
  bias = expanded(context.input(2), y.view.extents());
  residual = expanded(context.input(3), y.view.extents());
  result = std::move(y);
  if (context.node().type == "Gemm") {
    if (context.node().integer("transA", 0) != 0) a.view = a.view.permuted({1, 0});
    if (context.node().integer("transB", 0) != 0) b.view = b.view.permuted({1, 0});
  }
  const bool row = a.view.axes.size() == 1, column = b.view.axes.size() == 1;
  if (row) insert_axis(a, 0);
  if (column) insert_axis(b, 1);
  for (Placed* wide : {&bias, &residual, &result}) {
    if (!wide->given()) continue;
    if (column) insert_axis(*wide, wide->view.axes.size());
    if (row) insert_axis(*wide, wide->view.axes.size() - 1);
  }
  const std::size_t rank = result.view.axes.size();
  Extents batch = result.view.extents();
  batch.resize(rank - 2);
  for (Placed* operand : {&a, &b}) {
    Extents extents = batch;
    const Extents own = operand->view.extents();
    extents.insert(extents.end(), own.end() - 2, own.end());
    operand->view = operand->view.expanded(extents);
  }
  sides.a_batch = sides.b_batch = sides.y_batch = range(0, rank - 2);
  sides.a_rows = sides.b_k = sides.y_rows = {rank - 2};
  sides.a_k = sides.b_columns = sides.y_columns = {rank - 1};
  return sides;
}

Sides einsum_sides(const EmitContext& context, Placed y) {
  const Einsum einsum = parse_einsum(context.node().text("equation", ""), 2);
  Sides sides;
  auto& [a, b, bias, residual, result] = sides.operands;
  a = context.input(0);
  b = context.input(1);
  bias = expanded(context.input(2), y.view.extents());
  residual = expanded(context.input(3), y.view.extents());
  result = std::move(y);
  for (std::size_t i = 0; i < einsum.result.size(); ++i) {
    const char letter = einsum.result[i];
    const std::size_t in_a = einsum.a.find(letter), in_b = einsum.b.find(letter);
    if (in_a != std::string::npos && in_b != std::string::npos) {
      sides.a_batch.push_back(in_a);
      sides.b_batch.push_back(in_b);
      sides.y_batch.push_back(i);
    } else if (in_a != std::string::npos) {
      sides.a_rows.push_back(in_a);
      sides.y_rows.push_back(i);
    } else {
      sides.b_columns.push_back(in_b);
      sides.y_columns.push_back(i);
    }
  }
  for (std::size_t i = 0; i < einsum.a.size(); ++i) {
    if (einsum.in_result(einsum.a[i])) continue;
    if (!einsum.in_b(einsum.a[i]))
      throw NodeError("its equation sums an axis of one operand; use ReduceSum before it");
    sides.a_k.push_back(i);
    sides.b_k.push_back(einsum.b.find(einsum.a[i]));
  }
  for (const char letter : einsum.b)
    if (!einsum.in_result(letter) && !einsum.in_a(letter))
      throw NodeError("its equation sums an axis of one operand; use ReduceSum before it");
  return sides;
}

/// Copies an operand with its axes in the order of their roles.
void regroup(const EmitContext& context, Placed& operand, Axes& first, Axes& second, Axes& third) {
  Axes order = first;
  order.insert(order.end(), second.begin(), second.end());
  order.insert(order.end(), third.begin(), third.end());
  operand = context.placement.copy({operand.tensor, operand.view.permuted(order)}, kNone,
                                   context.node().name + "/copy");
  std::size_t next = 0;
  for (Axes* axes : {&first, &second, &third})
    for (std::size_t& axis : *axes) axis = next++;
}

/// Loops of one role; an operand without axes for it repeats.
std::optional<std::vector<Loop>> role_loops(const Sides& sides, const Axes* a, const Axes* b, const Axes* y) {
  const auto part = [&](std::size_t i, const Axes* axes) { return joined(sides.operands[i].view, *axes); };
  const std::int64_t extent = extent_of(a != nullptr ? part(Sides::kA, a) : part(Sides::kB, b));
  std::vector<Axis> parts;
  for (std::size_t i = 0; i < Sides::kOperands; ++i) {
    const Axes* axes = i == Sides::kA ? a : i == Sides::kB ? b : y;
    parts.push_back(sides.operands[i].given() && axes != nullptr ? part(i, axes) : merged({{extent, 0}}));
  }
  return align(parts);
}

/// All loops of a product, batch first.
struct ProductLoops {
  std::vector<Loop> batch;
  Loop rows, columns, k;
};

Loop one_loop() { return {1, std::vector<std::int64_t>(Sides::kOperands, 0)}; }

/// Removes the last loop, or returns one of one element.
Loop take_last(std::vector<Loop>& loops) {
  if (loops.empty()) return one_loop();
  Loop last = loops.back();
  loops.pop_back();
  return last;
}

std::optional<ProductLoops> product_loops(const Sides& sides) {
  auto batch = role_loops(sides, &sides.a_batch, &sides.b_batch, &sides.y_batch);
  auto rows = role_loops(sides, &sides.a_rows, nullptr, &sides.y_rows);
  auto columns = role_loops(sides, nullptr, &sides.b_columns, &sides.y_columns);
  auto k = role_loops(sides, &sides.a_k, &sides.b_k, nullptr);
  if (!batch || !rows || !columns || !k || k->size() > 1) return std::nullopt;
  // Inner batch axes over which b repeats are rows: a weight, or a key head of several query heads.
  while (!batch->empty() && batch->back().strides[Sides::kB] == 0) {
    rows->insert(rows->begin(), batch->back());
    batch->pop_back();
  }
  merge(*rows);
  ProductLoops loops;
  loops.rows = take_last(*rows);
  loops.columns = take_last(*columns);
  loops.k = take_last(*k);
  loops.batch = std::move(*batch);
  for (const auto* rest : {&*rows, &*columns})
    loops.batch.insert(loops.batch.end(), rest->begin(), rest->end());
  return loops;
}

Operand product_operand(const Placed& placed, const ProductLoops& loops, std::size_t i, const Loop& first,
                        const Loop& second) {
  if (!placed.given()) return {};
  std::vector<Loop> all = loops.batch;
  all.push_back(first);
  all.push_back(second);
  return loop_operand(placed, all, i);
}

/// A bias of [M], or one that broadcasts to y.
Placed channel_bias(Placed placed, const Extents& y) {
  if (!placed.given()) return placed;
  if (placed.view.axes.size() == 1 && placed.view.extents()[0] == y[1])
    for (std::size_t i = 2; i < y.size(); ++i) placed.view.axes.emplace_back();
  return expanded(std::move(placed), y);
}

/// Weights whose channels of a group are neighbours in memory: kernels walk through windows place by place.
Placed with_channels_last(const EmitContext& context, const Placed& weights) {
  const Extents extents = weights.view.extents();
  std::vector<std::size_t> order, back(extents.size());
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (axis != 1) order.push_back(axis);
  order.push_back(1);
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  const Value& value = context.graph().values[context.draft.input(1)];
  Placed turned;
  if (value.constant) {
    const View view = View::contiguous(extents).permuted(order);
    ConstantBuilder builder(value.type, view.extents());
    ViewIndex index(view);
    for (std::int64_t i = 0; i < value.constant->elements(); ++i, index.next())
      builder.copy(i, *value.constant, index.offset());
    turned = context.placement.create(value.name, std::move(builder).finish());
  } else {
    turned = context.placement.copy({weights.tensor, weights.view.permuted(order)}, kNone,
                                    context.node().name + "/weights");
  }
  turned.view = turned.view.permuted(back);
  return turned;
}

}  // namespace

Placed spatial_view(Placed placed) {
  if (placed.given() && placed.view.axes.size() == 3) insert_axis(placed, 2);
  return placed;
}

void emit_pool(const EmitContext& context) {
  Operator added = context.start();
  added.inputs = {plain_operand(spatial_view(context.placement.plain(context.draft.input(0))))};
  added.outputs = {plain_operand(spatial_view(context.output()))};
  context.placement.add(std::move(added));
}

void emit_product(const EmitContext& context) {
  const Placed y = context.output();
  Sides sides = context.node().type == "Einsum" ? einsum_sides(context, y) : matmul_sides(context, y);
  std::optional<ProductLoops> loops = product_loops(sides);
  if (!loops) {
    // k needs one stride, and the loops of all operands must fit.
    const auto separate = [](const Placed& placed, const Axes& k) {
      return joined(placed.view, k).size() > 1;
    };
    const bool a = separate(sides.operands[Sides::kA], sides.a_k),
               b = separate(sides.operands[Sides::kB], sides.b_k);
    if (a || !b) regroup(context, sides.operands[Sides::kA], sides.a_batch, sides.a_rows, sides.a_k);
    if (b) regroup(context, sides.operands[Sides::kB], sides.b_batch, sides.b_k, sides.b_columns);
    loops = product_loops(sides);
  }
  if (!loops) {
    for (const std::size_t i : {Sides::kBias, Sides::kResidual})
      if (sides.operands[i].given())
        sides.operands[i] = context.placement.copy(sides.operands[i], kNone, context.node().name + "/copy");
    regroup(context, sides.operands[Sides::kA], sides.a_batch, sides.a_rows, sides.a_k);
    regroup(context, sides.operands[Sides::kB], sides.b_batch, sides.b_k, sides.b_columns);
    loops = product_loops(sides);
  }
  SPICA_INVARIANT(loops.has_value());
  Operator added = context.start();
  const auto& operands = sides.operands;
  added.inputs = {
      product_operand(operands[Sides::kA], *loops, Sides::kA, loops->rows, loops->k),
      product_operand(operands[Sides::kB], *loops, Sides::kB, loops->k, loops->columns),
      product_operand(operands[Sides::kBias], *loops, Sides::kBias, loops->rows, loops->columns),
      product_operand(operands[Sides::kResidual], *loops, Sides::kResidual, loops->rows, loops->columns)};
  added.outputs = {product_operand(operands[Sides::kY], *loops, Sides::kY, loops->rows, loops->columns)};
  context.placement.add(std::move(added));
}

void emit_convolution(const EmitContext& context) {
  Operator added = context.start();
  auto& convolution = std::get<Convolution>(added.parameters);
  const Extents& weights = context.matcher.extents(context.node().inputs[1]);
  const Extents kernel(weights.begin() + 2, weights.end());
  const NodeScope scope = context.scope();
  const Windows windows =
      convolution.transposed ? transposed_windows_of(scope, kernel) : windows_of(scope, kernel);
  convolution.strides = windows.strides;
  convolution.dilations = windows.dilations;
  convolution.pads = windows.pads;
  convolution.groups = context.node().integer("group", 1);
  const Placed x = context.placement.plain(context.draft.input(0));
  Placed w = context.placement.plain(context.draft.input(1));
  if (!convolution.transposed && weights[1] > 1 && element_count(kernel) > 1)
    w = with_channels_last(context, w);
  Placed y = context.output();
  const Extents extents = y.view.extents();
  Placed bias = context.placement.plain(context.draft.input(2)),
         residual = context.placement.plain(context.draft.input(3));
  bias = channel_bias(bias, extents);
  residual = expanded(residual, extents);
  for (const Placed& placed : {x, w, bias, residual})
    added.inputs.push_back(placed.given() ? plain_operand(spatial_view(placed)) : Operand());
  added.outputs = {plain_operand(spatial_view(y))};
  context.placement.add(std::move(added));
}

}  // namespace spica::network
