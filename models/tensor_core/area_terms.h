// SPDX-License-Identifier: Apache-2.0
// Units in which the areas of all tensor cores are counted.
#pragma once

#include <cstdint>

namespace spica::tensor_core {

inline constexpr double kWordBits = 32;
inline constexpr double kMicroOpBits = 64;  // bits of a queue entry for a micro-op or an instruction

inline double number(std::uint64_t value) { return static_cast<double>(value); }

}  // namespace spica::tensor_core
