// SPDX-License-Identifier: Apache-2.0
// Numbers as an adder of products sees them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "models/numeric/format.h"
#include "models/numeric/sum_rule.h"

namespace spica::numeric {

/// significand * 2^(exponent - 23), with the exponent that its format stores.
struct Number {
  static constexpr int kFractionBits = 23;
  /// Exponents of what is not an ordinary number: sums of two of them remain apart.
  static constexpr std::int32_t kZero = -(1 << 16), kSpecial = 1 << 20;

  std::int32_t significand = 0;  // of an infinity: its sign; of NaN: 0
  std::int32_t exponent = kZero;
  float value = 0;

  static Number nan() { return {0, kSpecial, std::numeric_limits<float>::quiet_NaN()}; }
  bool is_special() const { return exponent > kSpecial / 2; }
  bool is_nan() const { return is_special() && significand == 0; }
};

/// From an FP32 value that a format with `least_exponent` holds.
inline Number number_of(float value, int least_exponent) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t magnitude = bits & 0x7FFF'FFFF, field = magnitude >> 23;
  const int sign = bits != magnitude ? -1 : 1;
  if (magnitude == 0) return {0, Number::kZero, value};
  if (field == 0xFF) return {magnitude == 0x7F80'0000 ? sign : 0, Number::kSpecial, value};
  const int own = std::max(static_cast<int>(field), 1) - 127, exponent = std::max(own, least_exponent);
  const std::uint32_t significand = (magnitude & 0x7F'FFFF) | (field != 0 ? 0x80'0000 : 0);
  return {sign * static_cast<std::int32_t>(significand >> (exponent - own)), exponent, value};
}
/// From the code of any floating-point format of at most 32 bits; bits above the code are ignored.
Number number_of(const FormatInfo& format, std::uint32_t code);

/// The word of sign * magnitude * 2^last_place in the format of a result. `sticky`: less than one unit of the magnitude
/// follows. A zero is positive; what exceeds the largest number is an infinity, also when cut.
std::uint32_t rounded_sum(bool negative, std::uint64_t magnitude, int last_place, bool sticky,
                          SumResult result, Rounding round);
std::uint32_t infinity_of(SumResult result, bool negative);
/// A word of a result (FP32 or FP16) as a number.
Number sum_number(SumResult result, std::uint32_t word);
/// A value that the result (FP32 or FP16) holds to its word and back. Words of NaN in FP32 keep their bits.
std::uint32_t sum_word(SumResult result, float value);
float sum_value(SumResult result, std::uint32_t word);

}  // namespace spica::numeric
