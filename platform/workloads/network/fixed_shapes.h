// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/workloads/network/graph.h"

namespace spica::network {

/// What the user knows about the extents of inputs.
struct ShapeOptions {
  std::vector<std::string> shapes;   // "ids=1x128": all extents of an input
  std::vector<std::string> symbols;  // "batch=1"
};

/// Sets the extents of all inputs. Extents given for an input also set the symbols in its declaration. Throws UserError
/// with all errors at once: extents that are not set, unknown names, contradictions.
void fix_shapes(Graph& graph, const ShapeOptions& options);

}  // namespace spica::network
