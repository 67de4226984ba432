// SPDX-License-Identifier: Apache-2.0
// Conversions between FP16 bits and float, to nearest even, with canonical NaN (0x7E00,
// 0x7FC00000).
#pragma once

#include <cstdint>
#include <cstring>

namespace spica::numeric {

inline float float_from_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  std::uint32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF, bits = 0;
  if (exponent == 0x1F) {
    bits = fraction != 0 ? 0x7FC00000u : sign | 0x7F800000u;
  } else if (exponent != 0) {
    bits = sign | (exponent + 112) << 23 | fraction << 13;
  } else if (fraction != 0) {
    exponent = 113;
    while ((fraction & 0x400) == 0) {
      fraction <<= 1;
      --exponent;
    }
    bits = sign | exponent << 23 | (fraction & 0x3FF) << 13;
  } else {
    bits = sign;
  }
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

inline std::uint16_t half_from_float(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return 0x7E00;
  if (magnitude >= 0x477FF000) return sign | 0x7C00;  // 65520 and above round to infinity
  if (magnitude < 0x33000000) return sign;            // below half of the smallest subnormal
  const std::uint32_t exponent = magnitude >> 23;
  std::uint32_t significand = magnitude & 0x7FFFFF, shift = 13, result = 0;
  if (exponent < 113) {  // subnormal in FP16
    significand |= 0x800000;
    shift = 126 - exponent;
  } else {
    result = (exponent - 112) << 10;
  }
  result += significand >> shift;
  const std::uint32_t rest = significand & ((1u << shift) - 1), middle = 1u << (shift - 1);
  if (rest > middle || (rest == middle && (result & 1) != 0)) ++result;
  return static_cast<std::uint16_t>(sign | result);
}

}  // namespace spica::numeric
