// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::protocol {

/// Lanes of a warp that a tensor core works on.
inline constexpr unsigned kTensorLanes = 8;

/// Size and alignment, in bytes, of an operand tile of one instruction of a decoupled tensor core.
inline constexpr std::uint32_t kTensorTileBytes = 1024;
inline constexpr std::uint32_t kTensorBlockBytes = 32;

}  // namespace spica::protocol
