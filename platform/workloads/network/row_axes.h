// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "platform/workloads/network/node_scope.h"

namespace spica::network {

/// The axes that a reduction removes or sets to one element, ascending.
std::vector<std::size_t> reduced_axes(const NodeScope& scope);
/// Of Softmax, LogSoftmax, LayerNormalization: the attribute `axis`. A normalisation, and a Softmax before opset 13, covers
/// all axes from it on.
std::size_t first_row_axis(const NodeScope& scope);

}  // namespace spica::network
