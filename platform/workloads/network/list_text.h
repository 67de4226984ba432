// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "platform/workloads/network/operators.h"

namespace spica::network {

/// A row for each node of the model and what becomes of it; operators without a node (copies); totals.
std::string list_text(const Network& network);

/// What becomes of a node: "softmax 32x10", "fused into first", "view".
std::string row_text(const Network& network, std::size_t node);

/// Extents of an operator, as its kind is usually described: "32x64x64" (rows x columns x k) of a product.
std::string extents_text(const Operator& op);

}  // namespace spica::network
