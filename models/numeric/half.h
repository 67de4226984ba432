// SPDX-License-Identifier: Apache-2.0
// Conversions between FP16 bits and float, to nearest even, with canonical NaN (0x7E00, 0x7FC00000).
#pragma once

#include <cstdint>

#include "models/numeric/lanes.h"

namespace spica::numeric {

inline float float_from_half(std::uint16_t half) {
  return lanes::value_of<Format::kFp16, float>(std::int32_t{half});
}

inline std::uint16_t half_from_float(float value) {
  return static_cast<std::uint16_t>(
      lanes::code_of<Format::kFp16>(lanes::rounded<Format::kFp16, Overflow::kSpecial>(value)));
}

}  // namespace spica::numeric
