// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "platform/workloads/network/fixed_shapes.h"
#include "platform/workloads/network/fuse.h"
#include "platform/workloads/network/operators.h"
#include "platform/workloads/network/problems.h"

namespace spica::network {

/// The operators of a graph whose shapes are fixed and inferred. Throws UserError with all nodes that are not supported.
Network lower(Graph graph, const LowerOptions& options);

/// Adds the problems that a network has beyond its nodes, such as operators without a kernel.
using CheckOperators = std::function<void(const Network&, Problems&)>;

/// Reads a model, fixes its shapes, and makes operators of it. Throws UserError. If nodes are not supported, `check` looks
/// at the others, so that all problems are reported at once.
Network load_network(const std::string& path, const ShapeOptions& shapes, const LowerOptions& options = {},
                     const CheckOperators& check = {});

}  // namespace spica::network
