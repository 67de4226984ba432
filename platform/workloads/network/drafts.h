// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "platform/workloads/network/draft.h"
#include "platform/workloads/network/node_scope.h"
#include "platform/workloads/network/view.h"

namespace spica::network {

/// The operator of a single node. Throws NodeError for an attribute that is not supported.
Draft draft_of(const Graph& graph, std::size_t node);

/// The view that an output of a node has of its first input: of a NodeType::is_view, a Cast to the same type, a Gather of
/// regular constant indices, an Einsum of one operand. Empty: it is not a view, or strides cannot express it.
std::optional<View> node_view(const NodeScope& scope, const View& input, std::size_t output);
/// Whether node_view() can give one.
bool may_be_view(const NodeScope& scope);

}  // namespace spica::network
