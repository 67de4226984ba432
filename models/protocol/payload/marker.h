// SPDX-License-Identifier: Apache-2.0
// Markers by which a kernel selects the part of the run to be timed.
#pragma once

#include <cstdint>

namespace spica::protocol {

// No-operation instructions that are markers (kernels sgemm_tcore/kernel.cpp).
inline constexpr std::uint32_t kMarkBegin = 0xBE90A013;
inline constexpr std::uint32_t kMarkEnd = 0xE0D0A013;

enum class Marker : std::uint8_t { kBegin, kEnd };

}  // namespace spica::protocol
