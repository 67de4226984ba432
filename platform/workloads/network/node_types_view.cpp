// SPDX-License-Identifier: Apache-2.0
// Operators whose result is their first input in another arrangement.
#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "platform/workloads/network/node_types.h"
#include "platform/workloads/network/view.h"

namespace spica::network {

namespace {

/// Axes in ascending order, each one once.
std::vector<std::size_t> axes_of(const std::vector<std::int64_t>& axes, std::int64_t rank) {
  std::vector<std::size_t> result;
  for (const std::int64_t axis : axes) result.push_back(NodeScope::axis(axis, rank));
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    throw NodeError("an axis is given twice");
  return result;
}

void infer_identity(NodeScope& scope) {
  if (scope.given(2) && scope.constant(2) != nullptr && scope.constant(2)->elements() == 1 &&
      scope.constant(2)->integer_at(0) != 0)
    throw NodeError("a Dropout of training is not supported; export the model after model.eval()");
  scope.set(0, scope.type(0), scope.extents(0));
}

void infer_reshape(NodeScope& scope) {
  const Extents& from = scope.extents(0);
  const std::int64_t count = element_count(from);
  Extents to = scope.list(1, "shape");
  const bool zero_is_extent = scope.node().integer("allowzero", 0) != 0;
  std::size_t open = kNone;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 0 && !zero_is_extent) {
      if (i >= from.size())
        throw NodeError(fmt::format("extent {} of the shape is 0, but the input has no such axis", i));
      to[i] = from[i];
    }
    if (to[i] == -1) {
      if (open != kNone) throw NodeError("its shape has -1 twice");
      open = i;
    } else if (to[i] < 0) {
      throw NodeError(fmt::format("its shape has an extent of {}", to[i]));
    }
  }
  if (open != kNone) {
    to[open] = 1;
    const std::int64_t rest = element_count(to);
    if (rest == 0 ? count != 0 : count % rest != 0)
      throw NodeError(fmt::format("{} elements do not fit into its shape", count));
    to[open] = rest == 0 ? 0 : count / rest;
  }
  if (element_count(to) != count)
    throw NodeError(fmt::format("{} cannot become {}", extents_text(from), extents_text(to)));
  scope.set(0, scope.type(0), std::move(to));
}

void infer_squeeze(NodeScope& scope) {
  const Extents& from = scope.extents(0);
  const auto given = scope.list_of("axes", 1);
  std::vector<std::size_t> axes;
  if (given) axes = axes_of(*given, scope.rank(0));
  else
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] == 1) axes.push_back(i);
  Extents to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool removed = std::binary_search(axes.begin(), axes.end(), i);
    if (removed && from[i] != 1) throw NodeError(fmt::format("axis {} has {} elements, not 1", i, from[i]));
    if (!removed) to.push_back(from[i]);
  }
  scope.set(0, scope.type(0), std::move(to));
}

void infer_unsqueeze(NodeScope& scope) {
  const auto given = scope.list_of("axes", 1);
  if (!given) throw NodeError("it has no axes");
  const std::int64_t rank = scope.rank(0) + static_cast<std::int64_t>(given->size());
  Extents to = scope.extents(0);
  for (const std::size_t axis : axes_of(*given, rank))
    to.insert(to.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  scope.set(0, scope.type(0), std::move(to));
}

void infer_flatten(NodeScope& scope) {
  const Extents& from = scope.extents(0);
  std::int64_t axis = scope.node().integer("axis", 1);
  if (axis < 0) axis += scope.rank(0);
  if (axis < 0 || axis > scope.rank(0)) throw NodeError("its axis is outside the input");
  const auto middle = from.begin() + axis;
  scope.set(0, scope.type(0),
            {element_count(Extents(from.begin(), middle)), element_count(Extents(middle, from.end()))});
}

std::vector<std::size_t> permutation_of(const NodeScope& scope) {
  const auto rank = static_cast<std::size_t>(scope.rank(0));
  std::vector<std::size_t> order(rank);
  const auto given = scope.node().integer_list("perm");
  if (!given) {
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    return order;
  }
  if (given->size() != rank || axes_of(*given, scope.rank(0)).size() != rank)
    throw NodeError("attribute 'perm' is not an order of its axes");
  for (std::size_t i = 0; i < rank; ++i) order[i] = NodeScope::axis((*given)[i], scope.rank(0));
  return order;
}

void infer_transpose(NodeScope& scope) {
  Extents to;
  for (const std::size_t axis : permutation_of(scope)) to.push_back(scope.extents(0)[axis]);
  scope.set(0, scope.type(0), std::move(to));
}

void infer_expand(NodeScope& scope) {
  Extents to = scope.list(1, "shape");
  for (const std::int64_t extent : to)
    if (extent < 0) throw NodeError(fmt::format("its shape has an extent of {}", extent));
  scope.set(0, scope.type(0), broadcast(scope.extents(0), to));
}

void infer_tile(NodeScope& scope) {
  const std::vector<std::int64_t> repeats = scope.list(1, "repeats");
  Extents to = scope.extents(0);
  if (repeats.size() != to.size()) throw NodeError("its repeats are not one for each axis");
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (repeats[i] < 0 || repeats[i] > kMaxElements) throw NodeError("its repeats are negative or too large");
    to[i] *= repeats[i];
  }
  scope.set(0, scope.type(0), std::move(to));
}

/// A range along an axis.
struct Range {
  std::size_t axis;
  std::int64_t start, step, count;
};

std::vector<Range> ranges_of(const NodeScope& scope) {
  const std::vector<std::int64_t> starts = scope.list(1, "starts"), ends = scope.list(2, "ends");
  std::vector<std::int64_t> axes(starts.size()), steps(starts.size(), 1);
  std::iota(axes.begin(), axes.end(), 0);
  if (scope.given(3)) axes = scope.list(3, "axes");
  if (scope.given(4)) steps = scope.list(4, "steps");
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    throw NodeError("its starts, ends, axes and steps are not equally many");
  axes_of(axes, scope.rank(0));  // each one once
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = NodeScope::axis(axes[i], scope.rank(0));
    const std::int64_t extent = scope.extents(0)[axis], step = steps[i];
    if (step == 0 || step == std::numeric_limits<std::int64_t>::min()) throw NodeError("a step of 0");
    const auto limited = [&](std::int64_t at, std::int64_t least, std::int64_t most) {
      return std::clamp(at < 0 ? at + extent : at, least, most);
    };
    const std::int64_t start = step > 0 ? limited(starts[i], 0, extent) : limited(starts[i], 0, extent - 1);
    const std::int64_t end = step > 0 ? limited(ends[i], 0, extent) : limited(ends[i], -1, extent - 1);
    const std::int64_t distance = step > 0 ? end - start : start - end, size = step > 0 ? step : -step;
    const std::int64_t count = extent == 0 || distance <= 0 ? 0 : (distance - 1) / size + 1;
    ranges.push_back({axis, count == 0 ? 0 : start, count <= 1 ? 1 : step, count});
  }
  return ranges;
}

void infer_slice(NodeScope& scope) {
  Extents to = scope.extents(0);
  for (const Range& range : ranges_of(scope)) to[range.axis] = range.count;
  scope.set(0, scope.type(0), std::move(to));
}

std::vector<std::int64_t> split_of(const NodeScope& scope, std::int64_t extent) {
  const auto pieces = static_cast<std::int64_t>(scope.outputs());
  auto sizes = scope.list_of("split", 1);
  if (!sizes) {
    const std::int64_t named = scope.node().integer("num_outputs", pieces);
    if (named != pieces) throw NodeError("attribute 'num_outputs' is not the number of its outputs");
    const std::int64_t size = (extent + pieces - 1) / pieces;
    sizes.emplace(static_cast<std::size_t>(pieces), size);
    sizes->back() = extent - size * (pieces - 1);
  }
  std::int64_t sum = 0;
  for (const std::int64_t size : *sizes) {
    if (size < 0 || size > extent) throw NodeError(fmt::format("a split of {} elements", size));
    sum += size;
  }
  if (sum != extent || static_cast<std::int64_t>(sizes->size()) != pieces)
    throw NodeError(fmt::format("its split does not add up to {} elements in {} outputs", extent, pieces));
  return *sizes;
}

void infer_split(NodeScope& scope) {
  const std::size_t axis = scope.axis_attribute(0, scope.rank(0));
  const std::vector<std::int64_t> sizes = split_of(scope, scope.extents(0)[axis]);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Extents to = scope.extents(0);
    to[axis] = sizes[i];
    scope.set(i, scope.type(0), std::move(to));
  }
}

std::int64_t block_of(const NodeScope& scope) {
  const std::int64_t block = scope.node().integer("blocksize", 0);
  if (scope.rank(0) != 4 || block < 1 || block > 4096)
    throw NodeError("it needs [N, C, H, W] and a blocksize");
  return block;
}

void infer_depth_to_space(NodeScope& scope) {
  const std::int64_t block = block_of(scope);
  const Extents& x = scope.extents(0);
  if (x[1] % (block * block) != 0) throw NodeError("its channels are not a multiple of blocksize squared");
  scope.set(0, scope.type(0), {x[0], x[1] / (block * block), x[2] * block, x[3] * block});
}

void infer_space_to_depth(NodeScope& scope) {
  const std::int64_t block = block_of(scope);
  const Extents& x = scope.extents(0);
  if (x[2] % block != 0 || x[3] % block != 0)
    throw NodeError("its height or width is not a multiple of blocksize");
  scope.set(0, scope.type(0), {x[0], x[1] * block * block, x[2] / block, x[3] / block});
}

std::optional<View> rearranged(const View& input, const Extents& parts, const std::vector<std::size_t>& order,
                               const Extents& result) {
  const auto split = input.reshaped(parts);
  return split ? split->permuted(order).reshaped(result) : std::nullopt;
}

std::optional<View> depth_to_space(const NodeScope& scope, const View& input) {
  const Extents& x = scope.extents(0);
  const std::int64_t b = block_of(scope), c = x[1] / (b * b);
  const std::string mode = scope.node().text("mode", "DCR");
  if (mode == "CRD")
    return rearranged(input, {x[0], c, b, b, x[2], x[3]}, {0, 1, 4, 2, 5, 3}, scope.result(0));
  if (mode != "DCR") throw NodeError("attribute 'mode' = '" + mode + "'; supported: DCR, CRD");
  return rearranged(input, {x[0], b, b, c, x[2], x[3]}, {0, 3, 4, 1, 5, 2}, scope.result(0));
}

std::optional<View> space_to_depth(const NodeScope& scope, const View& input) {
  const Extents& x = scope.extents(0);
  const std::int64_t b = block_of(scope);
  return rearranged(input, {x[0], x[1], x[2] / b, b, x[3] / b, b}, {0, 3, 5, 1, 2, 4}, scope.result(0));
}

View tiled(const NodeScope& scope, const View& input) {
  View result = input;
  for (std::size_t i = 0; i < input.axes.size(); ++i) {
    const std::int64_t extent = scope.extents(0)[i], repeats = extent == 0 ? 1 : scope.result(0)[i] / extent;
    if (scope.result(0)[i] == 0) result.axes[i] = {{0, 1}};
    else if (repeats > 1) result.axes[i].insert(result.axes[i].begin(), {repeats, 0});
  }
  return result;
}

std::optional<View> split_view(const NodeScope& scope, const View& input, std::size_t i) {
  const std::size_t axis = scope.axis_attribute(0, scope.rank(0));
  const std::vector<std::int64_t> sizes = split_of(scope, scope.extents(0)[axis]);
  const std::int64_t start =
      std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(i), std::int64_t{0});
  return input.sliced(axis, sizes[i] == 0 ? 0 : start, 1, sizes[i]);
}

void fold_view(NodeScope& scope) {
  const Constant& input = *scope.constant(0);
  for (std::size_t i = 0; i < scope.outputs(); ++i) {
    if (!scope.wanted(i)) continue;
    const auto view = apply_view(scope, View::contiguous(input.extents), i);
    if (!view) throw NodeError("its result is not a view");
    const Extents& extents = scope.result(i);
    const std::int64_t count = element_count(extents);
    if (view->is_contiguous() || count == 0) {  // the same bytes
      scope.set(i, Constant{input.type, extents,
                            count == 0
                                ? input.data
                                : input.data + view->offset * static_cast<std::int64_t>(bytes_of(input.type)),
                            input.owner});
      continue;
    }
    ConstantBuilder builder(input.type, extents);
    ViewIndex index(*view);
    for (std::int64_t at = 0; at < count; ++at, index.next()) builder.copy(at, input, index.offset());
    scope.set(i, std::move(builder).finish());
  }
}

}  // namespace

std::optional<View> apply_view(const NodeScope& scope, const View& input, std::size_t i) {
  const std::string& type = scope.node().type;
  if (type == "Transpose") return input.permuted(permutation_of(scope));
  if (type == "Expand") return input.expanded(scope.result(0));
  if (type == "Tile") return tiled(scope, input);
  if (type == "Split") return split_view(scope, input, i);
  if (type == "DepthToSpace") return depth_to_space(scope, input);
  if (type == "SpaceToDepth") return space_to_depth(scope, input);
  if (type != "Slice") return input.reshaped(scope.result(i));
  std::optional<View> result = input;
  for (const Range& range : ranges_of(scope))
    if (result) result = result->sliced(range.axis, range.start, range.step, range.count);
  return result;
}

std::vector<NodeType> view_node_types() {
  return {{"Identity", 1, 1, 1, "", infer_identity, fold_view, true},
          {"Dropout", 1, 3, 1, "ratio:f seed:i", infer_identity, fold_view, true},
          {"Reshape", 2, 2, 1, "allowzero:i", infer_reshape, fold_view, true},
          {"Squeeze", 1, 2, 1, "axes:l", infer_squeeze, fold_view, true},
          {"Unsqueeze", 1, 2, 1, "axes:l", infer_unsqueeze, fold_view, true},
          {"Flatten", 1, 1, 1, "axis:i", infer_flatten, fold_view, true},
          {"Transpose", 1, 1, 1, "perm:l", infer_transpose, fold_view, true},
          {"Expand", 2, 2, 1, "", infer_expand, fold_view, true},
          {"Tile", 2, 2, 1, "", infer_tile, fold_view, true},
          {"Slice", 3, 5, 1, "", infer_slice, fold_view, true},
          {"Split", 1, 2, kAnyNumber, "axis:i split:l num_outputs:i", infer_split, fold_view, true},
          {"DepthToSpace", 1, 1, 1, "blocksize:i mode:s", infer_depth_to_space, fold_view, true},
          {"SpaceToDepth", 1, 1, 1, "blocksize:i", infer_space_to_depth, fold_view, true}};
}

}  // namespace spica::network
