// SPDX-License-Identifier: Apache-2.0
// Operators that choose, join or move elements.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "platform/workloads/network_run/calls.h"

namespace spica::network {

void SelectionCalls::operator()(const Gather&) {
  const Operand &data = op_.inputs[0], &indices = op_.inputs[1], &result = op_.outputs[0];
  at_index("Gather", result,
           {data.tensor, data.offset, result.extents, {data.strides[0], 0, data.strides[2]}},
           {indices.tensor, indices.offset, result.extents, {0, indices.strides[0], 0}}, data, {1});
}

void SelectionCalls::operator()(const GatherElements& gather) {
  const Operand& result = op_.outputs[0];
  const auto axis = static_cast<std::size_t>(gather.axis);
  Operand from = op_.inputs[0];
  from.extents = result.extents;
  from.strides[axis] = 0;
  at_index("Gather", result, from, op_.inputs[1], op_.inputs[0], {axis});
}

void SelectionCalls::operator()(const GatherNd& gather) {
  const Operand &data = op_.inputs[0], &indices = op_.inputs[1], &result = op_.outputs[0];
  const auto batch = static_cast<std::size_t>(gather.batch);
  const std::size_t outer = indices.extents.size() - 1;
  Operand from{data.tensor, data.offset, result.extents, Extents(result.extents.size())};
  std::copy_n(data.strides.begin(), batch, from.strides.begin());
  const auto entries = static_cast<std::size_t>(indices.extents.back());
  std::copy(data.strides.begin() + static_cast<std::ptrdiff_t>(batch + entries), data.strides.end(),
            from.strides.begin() + static_cast<std::ptrdiff_t>(outer));
  at_index("Gather", result, from, without_entries(indices, result.extents), data, axes_from(batch, entries));
}

void SelectionCalls::operator()(const Scatter& scatter) {
  const Operand &indices = op_.inputs[1], &updates = op_.inputs[2], &result = op_.outputs[0];
  calls_.push_back(copy(result, op_.inputs[0]));
  if (element_count(updates.extents) == 0) return;
  Operand to{result.tensor, result.offset, updates.extents, result.strides};
  if (scatter.elements) {
    const auto axis = static_cast<std::size_t>(scatter.axis);
    to.strides[axis] = 0;
    return at_index("Scatter", to, updates, indices, result, {axis});
  }
  const std::size_t outer = indices.extents.size() - 1;
  const auto entries = static_cast<std::size_t>(indices.extents.back());
  to.strides.assign(outer, 0);
  to.strides.insert(to.strides.end(), result.strides.begin() + static_cast<std::ptrdiff_t>(entries),
                    result.strides.end());
  at_index("Scatter", to, updates, without_entries(indices, updates.extents), result, axes_from(0, entries));
}

void SelectionCalls::operator()(const OneHot& one_hot) {
  const Operand &indices = op_.inputs[0], &values = op_.inputs[1], &result = op_.outputs[0];
  const auto axis = static_cast<std::size_t>(one_hot.axis);
  const auto value = [&](std::int64_t number, const Extents& extents) {
    return Operand{values.tensor, values.offset + number * values.strides[0], extents,
                   Extents(extents.size())};
  };
  calls_.push_back(copy(result, value(0, result.extents)));
  Operand to = result;
  to.extents.erase(to.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  to.strides.erase(to.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  at_index("Scatter", to, value(1, to.extents), indices, result, {axis});
}

void SelectionCalls::operator()(const Pad& pad) {
  const Operand &x = op_.inputs[0], &y = op_.outputs[0];
  Operand from = x, to = y;
  std::vector<std::int64_t> begin(x.extents.size()), end;  // of what is in y
  for (std::size_t axis = 0; axis < x.extents.size(); ++axis) {
    const std::int64_t before = pad.before[axis];
    begin[axis] = std::clamp<std::int64_t>(before, 0, y.extents[axis]);
    end.push_back(std::clamp<std::int64_t>(before + x.extents[axis], 0, y.extents[axis]));
    from.offset += std::max<std::int64_t>(-before, 0) * x.strides[axis];
    to.offset += begin[axis] * y.strides[axis];
    from.extents[axis] = to.extents[axis] = std::max<std::int64_t>(end[axis] - begin[axis], 0);
  }
  const bool is_constant = pad.mode == Pad::Mode::kConstant;
  if (is_constant && to.extents != y.extents) calls_.push_back(fill(y, pad.value));
  if (element_count(to.extents) != 0) calls_.push_back(copy(to, from));
  for (std::size_t axis = 0; axis < x.extents.size() && !is_constant; ++axis) {
    const std::int64_t step = pad.mode == Pad::Mode::kReflect ? -y.strides[axis] : 0;
    const auto add = [&](std::int64_t first, std::int64_t count, std::int64_t source) {
      if (count <= 0) return;
      Operand edge = to;
      edge.extents[axis] = count;
      Operand inside = edge;
      edge.offset += (first - begin[axis]) * y.strides[axis];
      inside.offset += (source - begin[axis]) * y.strides[axis];
      inside.strides[axis] = step;
      calls_.push_back(copy(edge, inside));
    };
    const bool reflects = step != 0;
    add(0, begin[axis], reflects ? 2 * begin[axis] : begin[axis]);
    add(end[axis], y.extents[axis] - end[axis], end[axis] - (reflects ? 2 : 1));
    to.offset -= begin[axis] * y.strides[axis];
    to.extents[axis] = y.extents[axis];
    begin[axis] = 0;
  }
}

void SelectionCalls::operator()(const Resize& resize) {
  const Operand &x = op_.inputs[0], &y = op_.outputs[0];
  const auto [down, across] = resize.repeats;
  const Extents& s = y.strides;
  if (down != 0 && across != 0) {
    const Extents& e = x.extents;
    const Extents extents{e[0], e[1], e[2], down, e[3], across};
    calls_.push_back(
        copy({y.tensor, y.offset, extents, {s[0], s[1], s[2] * down, s[2], s[3] * across, s[3]}},
             {x.tensor, x.offset, extents, {x.strides[0], x.strides[1], x.strides[2], 0, x.strides[3], 0}}));
    return;
  }
  const bool is_linear = resize.mode == Resize::Mode::kLinear;
  Call call = copy(y, x);
  if (is_linear) call = base("Interpolation", y, x);
  else call.op = "Nearest";
  const auto along = [&](std::size_t input, Extents strides) {
    return Operand{op_.inputs[input].tensor, op_.inputs[input].offset, y.extents, std::move(strides)};
  };
  call.operands = {{"x", along(0, {x.strides[0], x.strides[1], 0, 0}), {}},
                   {"row", along(1, {0, 0, 1, 0}), {}},
                   {"column", along(2, {0, 0, 0, 1}), {}}};
  if (is_linear) {
    call.operands.push_back({"row_share", along(3, {0, 0, 1, 0}), {}});
    call.operands.push_back({"column_share", along(4, {0, 0, 0, 1}), {}});
  }
  call.integers = {{"stride_of_rows", static_cast<double>(x.strides[2])},
                   {"stride_of_columns", static_cast<double>(x.strides[3])},
                   {"last_row", static_cast<double>(x.extents[2] - 1)},
                   {"last_column", static_cast<double>(x.extents[3] - 1)}};
  calls_.push_back(std::move(call));
}

Call SelectionCalls::fill(const Operand& result, double value) const {
  Call call = base("Fill", result, result);
  call.format = bits_of(type(result));
  ConstantBuilder builder(type(result), {});
  builder.set(0, value);
  const Constant one = std::move(builder).finish();
  std::int32_t bits = 0;
  std::memcpy(&bits, one.data, one.bytes());
  call.integers = {{"bits", bits}};
  return call;
}

void SelectionCalls::select(const Operand& values, const Operand& places, std::int64_t k, bool largest) {
  const Operand& x = op_.inputs[0];
  Call call = base("TopK", values, x);
  call.extents = x.extents;
  call.operands.push_back({"x", x, {}});
  if (places.given()) call.operands.push_back({"number", places, {}});
  call.integers = {{"k", static_cast<double>(k)}, {"smallest", largest ? 0 : 1}};
  call.items = rows_of(x.extents);
  calls_.push_back(std::move(call));
}

std::vector<std::size_t> SelectionCalls::axes_from(std::size_t first, std::size_t count) {
  std::vector<std::size_t> axes(count);
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

Operand SelectionCalls::without_entries(const Operand& indices, const Extents& extents) {
  Operand index{indices.tensor, indices.offset, extents, indices.strides};
  index.strides.back() = 0;
  index.strides.resize(extents.size());
  return index;
}

void SelectionCalls::at_index(const char* name, const Operand& result, const Operand& x, const Operand& index,
                              const Operand& data, const std::vector<std::size_t>& axes) {
  Call call = copy(result, x);
  call.op = name;
  call.operands.push_back({"index", index, {}});
  const Operand& indices = op_.inputs[std::holds_alternative<OneHot>(op_.parameters) ? 0 : 1];
  call.integers = {{"entries", static_cast<double>(axes.size())},
                   {"entry_stride", axes.size() > 1 ? static_cast<double>(indices.strides.back()) : 0}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    call.integers[fmt::format("stride_{}", i)] = static_cast<double>(data.strides[axes[i]]);
    call.integers[fmt::format("extent_{}", i)] = static_cast<double>(data.extents[axes[i]]);
  }
  calls_.push_back(std::move(call));
}

}  // namespace spica::network
