// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/infer.h"

#include <algorithm>

#include "platform/base/input/user_error.h"
#include "platform/workloads/network/fold_limit.h"
#include "platform/workloads/network/node_types.h"

namespace spica::network {

namespace {

/// Whether the values of its outputs are computed now.
bool folds(const Graph& graph, const NodeType& type, const Node& node) {
  if (type.fold == nullptr || node.inputs.empty()) return false;
  for (const std::size_t input : node.inputs)
    if (input != kNone && !graph.values[input].constant) return false;
  // Quantised weights stay so; a bias is added in FP32.
  if (node.type == "DequantizeLinear" && graph.values[node.inputs[0]].type != ElementType::kInt32)
    return false;
  const bool from_file = type.is_view && graph.values[node.inputs[0]].producer == kNone;
  for (const std::size_t output : node.outputs) {
    if (output == kNone) continue;
    const std::int64_t count = element_count(*graph.values[output].extents);
    const bool same_bytes = type.is_view && node.type != "Transpose" && node.type != "Expand" &&
                            node.type != "Tile" && node.type != "Slice" && node.type != "Split" &&
                            node.type != "DepthToSpace" && node.type != "SpaceToDepth";
    if (!same_bytes && count > (from_file ? kMaxCopiedElements : kMaxFoldedElements)) return false;
  }
  // A reduction reads more than it writes.
  const Value& first = graph.values[node.inputs[0]];
  return type.is_view || element_count(*first.extents) <= kMaxFoldedElements;
}

void infer_node(Graph& graph, std::size_t index, Problems& problems) {
  const Node& node = graph.nodes[index];
  const NodeType* type = find_node_type(node.type);
  if (type == nullptr) return problems.add_unsupported(node);
  try {
    check_node(*type, node);
    for (const std::size_t input : node.inputs)
      if (input != kNone && !graph.values[input].extents) return;  // of a node that has been reported
    NodeScope scope(graph, index);
    type->infer(scope);
    if (folds(graph, *type, node)) type->fold(scope);
  } catch (const NodeError& error) {
    problems.add(node, error.what());
  } catch (const input::UserError& error) {
    problems.add(node, error.what());
  }
}

}  // namespace

void infer(Graph& graph, Problems& problems) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) infer_node(graph, i, problems);
}

bool is_folded(const Graph& graph, const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&graph](std::size_t output) {
    return output == kNone || graph.values[output].constant.has_value();
  });
}

}  // namespace spica::network
