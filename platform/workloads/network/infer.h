// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/workloads/network/graph.h"
#include "platform/workloads/network/problems.h"

namespace spica::network {

/// Sets type and extents of all values, whose inputs have them (fix_shapes), and the values of those that depend only on
/// constants and extents. Nodes are in order, so one pass alternates between both. A node that is not supported goes into
/// `problems`; nodes that use its outputs are skipped, and are complete again when it is supported.
void infer(Graph& graph, Problems& problems);

/// Whether all outputs of a node have values: it is not executed.
bool is_folded(const Graph& graph, const Node& node);

}  // namespace spica::network
