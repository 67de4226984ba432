// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/number.h"

#include <algorithm>
#include <cmath>

#include "models/numeric/half.h"

namespace spica::numeric {

namespace {

/// What sums are rounded to: an IEEE format in the upper bits of its word.
struct Target {
  int fraction_bits, least_exponent, bits;
  unsigned unused_bits;
};
constexpr Target target_of(SumResult result) {
  const FormatInfo& single = info(Format::kFp32);
  const FormatInfo& half = info(Format::kFp16);
  switch (result) {
    case SumResult::kFp16: return {half.fraction_bits, half.least_exponent(), half.bits, 0};
    case SumResult::kE8m13: return {13, single.least_exponent(), single.bits - 10, 10};
    default: return {single.fraction_bits, single.least_exponent(), single.bits, 0};
  }
}

Number special(float value, int sign) { return {sign, Number::kSpecial, value}; }

}  // namespace

Number number_of(const FormatInfo& format, std::uint32_t code) {
  if (format.bits < format.stored_bits && format.fraction_bits + format.exponent_bits == 18)
    code >>= format.stored_bits - format.bits;  // TF32 lies in the upper bits of its word
  const std::uint32_t whole = 1u << format.fraction_bits, fraction = code & (whole - 1);
  const auto most = (1 << format.exponent_bits) - 1;
  const auto field = static_cast<int>(code >> format.fraction_bits) & most;
  const bool negative = (code >> (format.bits - 1) & 1) != 0;
  const int sign = format.is_signed && negative ? -1 : 1;
  const bool all_ones = field == most && fraction == whole - 1;
  switch (format.specials) {
    case Specials::kIeee:
      if (field != most) break;
      return fraction != 0 ? Number::nan()
                           : special(std::copysign(HUGE_VALF, static_cast<float>(sign)), sign);
    case Specials::kOneNan:
      if (all_ones) return Number::nan();
      break;
    case Specials::kNone: break;
  }
  if (field == 0 && fraction == 0) return {0, Number::kZero, sign < 0 ? -0.0f : 0.0f};
  const auto significand = static_cast<std::int32_t>((field != 0 ? whole : 0) + fraction)
                           << (Number::kFractionBits - format.fraction_bits);
  const int exponent = std::max(field, 1) - format.bias;
  return {sign * significand, exponent,
          std::ldexp(static_cast<float>(sign * significand), exponent - Number::kFractionBits)};
}

std::uint32_t infinity_of(SumResult result, bool negative) {
  if (result == SumResult::kFp16) return negative ? 0xFC00 : 0x7C00;
  return negative ? 0xFF80'0000 : 0x7F80'0000;
}

std::uint32_t rounded_sum(bool negative, std::uint64_t magnitude, int last_place, bool sticky,
                          SumResult result, Rounding round) {
  if (magnitude == 0) return 0;
  const Target target = target_of(result);
  const int exponent = 63 - __builtin_clzll(magnitude) + last_place;
  const int unit = std::max(exponent, target.least_exponent) - target.fraction_bits;
  const int shift = unit - last_place;
  std::uint64_t count = 0;  // of units
  if (shift <= 0) {
    count = magnitude << -shift;
  } else if (shift < 64) {
    count = magnitude >> shift;
    const std::uint64_t rest = magnitude & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const bool is_above = rest > half || (rest == half && sticky);
    const bool is_tie = rest == half && !sticky;
    if (round == Rounding::kNearest && (is_above || (is_tie && count % 2 != 0))) ++count;
    if (round == Rounding::kDown && negative && (rest != 0 || sticky)) ++count;
  } else {
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;  // of the last bit, if the shift is 64
    const bool is_above = shift == 64 && (magnitude > kHalf || (magnitude == kHalf && sticky));
    if ((round == Rounding::kDown && negative) || (round == Rounding::kNearest && is_above)) count = 1;
  }
  if (count == 0) return 0;
  // A carry of the fraction continues into the exponent.
  const std::uint64_t field = static_cast<std::uint64_t>(unit + target.fraction_bits - target.least_exponent)
                              << target.fraction_bits;
  const std::uint64_t word = (field + count) << target.unused_bits;
  const std::uint64_t infinity = infinity_of(result, false);
  if (word >= infinity) return infinity_of(result, negative);
  return static_cast<std::uint32_t>(word) |
         (negative ? 1u << (target.bits + static_cast<int>(target.unused_bits) - 1) : 0);
}

std::uint32_t sum_word(SumResult result, float value) {
  if (result == SumResult::kFp16) return half_from_float(value);
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

float sum_value(SumResult result, std::uint32_t word) {
  if (result == SumResult::kFp16) return float_from_half(static_cast<std::uint16_t>(word));
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

Number sum_number(SumResult result, std::uint32_t word) {
  return number_of(info(result == SumResult::kFp16 ? Format::kFp16 : Format::kFp32), word);
}

}  // namespace spica::numeric
