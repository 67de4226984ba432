// SPDX-License-Identifier: Apache-2.0
// The operators of ONNX that a network may have: what a node of each type looks like, the extents of its outputs, and its
// evaluation on the host.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "platform/workloads/network/node_scope.h"

namespace spica::network {

inline constexpr unsigned kAnyNumber = std::numeric_limits<unsigned>::max();

struct NodeType {
  std::string_view name;
  unsigned min_inputs = 1, max_inputs = 1;  // kAnyNumber: no limit
  unsigned outputs = 1;
  /// Supported attributes and their kind, "axis:i alpha:f mode:s value:t perm:l": integer, number, text, tensor, list of
  /// integers.
  std::string_view attributes;
  /// Sets type and extents of the outputs. All inputs that are given have extents. Throws NodeError.
  void (*infer)(NodeScope&) = nullptr;
  /// Sets the values of the outputs, whose extents are known and whose inputs are constant. nullptr: not on the host.
  void (*fold)(NodeScope&) = nullptr;
  /// Whether the output is a view of the first input: folding a large weight would copy it.
  bool is_view = false;
};

/// nullptr: the operator is not supported.
const NodeType* find_node_type(std::string_view name);
/// Names of all supported operators, sorted.
std::vector<std::string> supported_node_types();
/// Throws NodeError: number of inputs or outputs, unknown attribute, wrong kind of attribute.
void check_node(const NodeType& type, const Node& node);

/// The lists by subject.
std::vector<NodeType> elementwise_node_types();
std::vector<NodeType> view_node_types();
std::vector<NodeType> selection_node_types();  // gather, concat, pad, ...
std::vector<NodeType> product_node_types();  // products, convolutions, pooling
std::vector<NodeType> row_node_types();  // reductions, norms, softmax
std::vector<NodeType> source_node_types();  // constants, ranges

}  // namespace spica::network
