// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/expected_selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace spica::network {

namespace {

/// Calls visit(index) for all indices in row-major order.
template <class Visit>
void each_index(const Extents& extents, Visit&& visit) {
  if (element_count(extents) == 0) return;
  Extents at(extents.size());
  for (;;) {
    visit(std::as_const(at));
    std::size_t axis = extents.size();
    while (axis > 0 && ++at[axis - 1] == extents[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

double element(const Array& array, const Extents& index) {
  return array.values[static_cast<std::size_t>(
      std::inner_product(index.begin(), index.end(), array.strides.begin(), std::int64_t{0}))];
}

std::size_t place(const Extents& index, const Extents& extents) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < index.size(); ++i) at = at * extents[i] + index[i];
  return static_cast<std::size_t>(at);
}

/// A negative index counts from the end. Empty: there is no such element.
std::optional<std::int64_t> entry(double index, std::int64_t extent) {
  const auto number = static_cast<std::int64_t>(index);
  const std::int64_t at = number < 0 ? number + extent : number;
  return at >= 0 && at < extent ? std::optional(at) : std::nullopt;
}

double element_or_nan(const Array& array, const std::optional<Extents>& index) {
  return index ? element(array, *index) : NAN;
}

Extents part(const Extents& index, std::size_t first, std::size_t end) {
  return {index.begin() + static_cast<std::ptrdiff_t>(first),
          index.begin() + static_cast<std::ptrdiff_t>(end)};
}

void append(Extents& to, const Extents& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Appends the entries of an index, of which `outer` are the first axes, to that of an element of `extents`.
bool append_entries(Extents& to, const Array& indices, Extents outer, const Extents& extents) {
  outer.push_back(0);
  for (std::int64_t i = 0; i < indices.extents.back(); ++i) {
    outer.back() = i;
    const auto one = entry(element(indices, outer), extents[to.size()]);
    if (!one) return false;
    to.push_back(*one);
  }
  return true;
}

}  // namespace

void expect_gather(const std::vector<Array>& inputs, const Extents& y, const SetElement& set) {
  std::size_t i = 0;
  each_index(y, [&](const Extents& at) {
    const auto row = entry(element(inputs[1], {at[1]}), inputs[0].extents[1]);
    set(i++, row ? element(inputs[0], {at[0], *row, at[2]}) : NAN);
  });
}

void expect_gather_elements(const GatherElements& gather, const std::vector<Array>& inputs, const Extents& y,
                            const SetElement& set) {
  const auto axis = static_cast<std::size_t>(gather.axis);
  std::size_t i = 0;
  each_index(y, [&](Extents at) {
    const auto one = entry(element(inputs[1], at), inputs[0].extents[axis]);
    at[axis] = one.value_or(0);
    set(i++, one ? element(inputs[0], at) : NAN);
  });
}

void expect_gather_nd(const GatherNd& gather, const std::vector<Array>& inputs, const Extents& y,
                      const SetElement& set) {
  const Array &data = inputs[0], &indices = inputs[1];
  const std::size_t outer = indices.extents.size() - 1;
  std::size_t i = 0;
  each_index(y, [&](const Extents& at) {
    Extents from = part(at, 0, static_cast<std::size_t>(gather.batch));
    const bool is_there = append_entries(from, indices, part(at, 0, outer), data.extents);
    append(from, part(at, outer, at.size()));
    set(i++, element_or_nan(data, is_there ? std::optional(from) : std::nullopt));
  });
}

void expect_scatter(const Scatter& scatter, const std::vector<Array>& inputs, const Extents& y,
                    const SetElement& set) {
  const Array &data = inputs[0], &indices = inputs[1], &updates = inputs[2];
  std::size_t i = 0;
  each_index(y, [&](const Extents& at) { set(i++, element(data, at)); });
  each_index(updates.extents, [&](const Extents& at) {
    Extents to = at;
    bool is_there = true;
    if (scatter.elements) {
      const auto axis = static_cast<std::size_t>(scatter.axis);
      const auto one = entry(element(indices, at), y[axis]);
      is_there = one.has_value();
      to[axis] = one.value_or(0);
    } else {
      const std::size_t outer = indices.extents.size() - 1;
      to.clear();
      is_there = append_entries(to, indices, part(at, 0, outer), y);
      append(to, part(at, outer, at.size()));
    }
    if (is_there) set(place(to, y), element(updates, at));
  });
}

void expect_one_hot(const OneHot& one_hot, const std::vector<Array>& inputs, const Extents& y,
                    const SetElement& set) {
  const auto axis = static_cast<std::size_t>(one_hot.axis);
  std::size_t i = 0;
  each_index(y, [&](const Extents& at) {
    Extents from = part(at, 0, axis);
    append(from, part(at, axis + 1, at.size()));
    const bool is_on = entry(element(inputs[0], from), y[axis]) == at[axis];
    set(i++, element(inputs[1], {is_on ? 1 : 0}));
  });
}

void expect_pad(const Pad& pad, const std::vector<Array>& inputs, const Extents& y, const SetElement& set) {
  const Array& x = inputs[0];
  std::size_t i = 0;
  each_index(y, [&](const Extents& at) {
    Extents from = at;
    bool is_inside = true;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const std::int64_t last = x.extents[axis] - 1;
      from[axis] -= pad.before[axis];
      is_inside = is_inside && from[axis] >= 0 && from[axis] <= last;
      if (pad.mode == Pad::Mode::kEdge) from[axis] = std::clamp(from[axis], std::int64_t{0}, last);
      if (pad.mode == Pad::Mode::kReflect) {
        from[axis] = std::abs(from[axis]);
        if (from[axis] > last) from[axis] = 2 * last - from[axis];
      }
    }
    set(i++, is_inside || pad.mode != Pad::Mode::kConstant ? element(x, from) : pad.value);
  });
}

void expect_resize(const Resize& resize, const std::vector<Array>& inputs, const Extents& y,
                   const std::function<void(std::size_t i, double value, double size)>& set) {
  const Array& x = inputs[0];
  const std::int64_t last_row = x.extents[2] - 1, last_column = x.extents[3] - 1;
  std::size_t i = 0;
  each_index(y, [&](const Extents& at) {
    const auto row = static_cast<std::int64_t>(element(inputs[1], {at[2]})),
               column = static_cast<std::int64_t>(element(inputs[2], {at[3]}));
    const double corner = element(x, {at[0], at[1], row, column});
    if (resize.mode == Resize::Mode::kNearest) return set(i++, corner, 0);
    const double v = element(inputs[3], {at[2]}), w = element(inputs[4], {at[3]});
    const std::int64_t below = std::min(row + 1, last_row), right = std::min(column + 1, last_column);
    const double terms[] = {(1 - v) * (1 - w) * corner, (1 - v) * w * element(x, {at[0], at[1], row, right}),
                            v * (1 - w) * element(x, {at[0], at[1], below, column}),
                            v * w * element(x, {at[0], at[1], below, right})};
    double value = 0, size = 0;
    for (const double term : terms) {
      value += term;
      size += std::abs(term);
    }
    set(i++, value, size);
  });
}

std::vector<std::size_t> first_of_row(const TopK& top, const std::vector<double>& row) {
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto count = order.begin() + static_cast<std::ptrdiff_t>(top.k);
  std::partial_sort(order.begin(), count, order.end(), [&](std::size_t a, std::size_t b) {
    if (row[a] == row[b]) return a < b;
    return top.largest ? row[a] > row[b] : row[a] < row[b];
  });
  order.erase(count, order.end());
  return order;
}

}  // namespace spica::network
