// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace spica::opencl {

/// The size of a work group for a launch without one: it divides the global size, has at most `limit` work
/// items, fills warps of `lanes` as well as possible, and is as large as possible, long in the first
/// dimension.
std::array<std::size_t, 3> chosen_local_size(const std::array<std::size_t, 3>& global, std::size_t limit,
                                             std::size_t lanes);

}  // namespace spica::opencl
