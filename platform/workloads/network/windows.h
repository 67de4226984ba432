// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "platform/workloads/network/node_scope.h"

namespace spica::network {

/// The windows of a convolution or pooling node along H and W, with automatic padding resolved. Along one axis, H has one
/// element and a window of one.
struct Windows {
  std::array<std::int64_t, 2> kernel{1, 1}, strides{1, 1}, dilations{1, 1}, input{1, 1}, output{1, 1};
  std::array<std::int64_t, 4> pads{};  // top, left, bottom, right
};

/// Of Conv, MaxPool and AveragePool, whose input 0 is [N, C, W] or [N, C, H, W]. `kernel`: extents of the window. Throws
/// NodeError.
Windows windows_of(const NodeScope& scope, const Extents& kernel);
/// Of ConvTranspose: `output` is that of the node.
Windows transposed_windows_of(const NodeScope& scope, const Extents& kernel);

}  // namespace spica::network
