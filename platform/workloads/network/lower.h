// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/workloads/network/fixed_shapes.h"
#include "platform/workloads/network/fuse.h"
#include "platform/workloads/network/operators.h"

namespace spica::network {

/// The operators of a graph whose shapes are fixed and inferred. Throws UserError with all nodes that are not supported.
Network lower(Graph graph, const LowerOptions& options);

/// Reads a model, fixes its shapes, and makes operators of it. Throws UserError.
Network load_network(const std::string& path, const ShapeOptions& shapes, const LowerOptions& options = {});

}  // namespace spica::network
