// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "platform/workloads/network/node_scope.h"
#include "platform/workloads/network/tensor.h"

namespace spica::network {

/// Indices 0 to extent - 1, `stride` elements apart.
struct Part {
  std::int64_t extent = 1, stride = 0;
};

/// An axis of a view: its index is split into those of the parts, the last one fastest. Heads that were merged into one axis
/// have two parts; an axis with one element has none.
using Axis = std::vector<Part>;

/// An arrangement of elements in memory: the result of transposing, slicing, reshaping and repeating without a copy.
struct View {
  std::int64_t offset = 0;  // elements
  std::vector<Axis> axes;

  static View contiguous(const Extents& extents);
  Extents extents() const;
  /// Row-major without gaps.
  bool is_contiguous() const;

  View permuted(const std::vector<std::size_t>& axes_in_order) const;
  /// Leading axes are added, and those with one element repeated.
  View expanded(const Extents& extents) const;
  /// Empty: strides cannot express the result.
  std::optional<View> sliced(std::size_t axis, std::int64_t start, std::int64_t step,
                             std::int64_t count) const;
  std::optional<View> reshaped(const Extents& extents) const;
};

std::int64_t extent_of(const Axis& axis);
/// Merges parts that one stride can express, and removes those with one element.
Axis merged(const Axis& axis);
/// The offsets of all elements of a view in row-major order.
class ViewIndex {
 public:
  explicit ViewIndex(const View& view);
  std::int64_t offset() const { return offset_; }
  void next();

 private:
  Axis parts_;
  Extents at_;
  std::int64_t offset_;
};

/// The view that output `i` of a node (NodeType::is_view) has of its first input. Extents of the outputs must be known.
/// Empty: strides cannot express it.
std::optional<View> apply_view(const NodeScope& scope, const View& input, std::size_t i);

}  // namespace spica::network
