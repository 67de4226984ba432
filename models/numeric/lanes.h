// SPDX-License-Identifier: Apache-2.0
// The conversion rules, each written once for a number and for a vector of numbers: `Float` is float or a vector of
// floats, with std::int32_t or a vector of them as integers. Always inlined and branch-free, so that each type of host
// (base/host_dispatch.h) has its own code and loops are vectorized. The rounding mode must be nearest even.
#pragma once

#include <cstdint>
#include <type_traits>

#include "models/numeric/format.h"

namespace spica::numeric {

/// Result for a number beyond the largest of a format, including infinities.
enum class Overflow : std::uint8_t {
  kSpecial,  // infinity; NaN in a format without infinities; the largest number in a format with neither
  kSaturate,  // the largest number
};

namespace lanes {

#define SPICA_LANES inline __attribute__((always_inline))

template <class To, class From>
SPICA_LANES To as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
/// Integers as wide as `Float`: the result type of a vector comparison.
template <class Float>
using IntsOf = std::conditional_t<std::is_same_v<Float, float>, std::int32_t, decltype(Float{} == Float{})>;

/// Selects `yes` or `no` without a branch; a compiler may turn ?: into one.
template <class Condition, class Ints>
SPICA_LANES Ints chosen(Condition condition, Ints yes, Ints no) {
  if constexpr (std::is_same_v<Condition, bool>) {
    const std::int32_t mask = -static_cast<std::int32_t>(condition);
    return (mask & yes) | (~mask & no);
  } else {
    return condition ? yes : no;
  }
}

constexpr std::int32_t kSign = INT32_MIN, kInfinity = 0x7F80'0000, kNan = 0x7FC0'0000;

/// A floating-point format, described by bits of FP32.
template <Format format>
struct Layout {
  static constexpr const FormatInfo& kInfo = info(format);
  static_assert(kInfo.is_float);
  static constexpr int kDropped = 23 - kInfo.fraction_bits;
  static constexpr bool kIeee = kInfo.specials == Specials::kIeee;
  static constexpr bool kNarrow = kInfo.exponent_bits < 8;  // its subnormal numbers are normal in FP32
  static constexpr std::int32_t kLeastNormal = (kInfo.least_exponent() + 127) << 23;
  static constexpr std::int32_t kFraction = ((1 << kInfo.fraction_bits) - 1) << kDropped;
  static constexpr std::int32_t kLargest = ((kInfo.most_exponent() + 127) << 23 | kFraction) -
                                           (kInfo.specials == Specials::kOneNan ? 1 << kDropped : 0);
  /// Adding this power of two aligns FP32 to the grid of the format's subnormal numbers.
  static constexpr std::int32_t kGridBits = kNarrow ? (kInfo.least_exponent() + kDropped + 127) << 23 : 0;
  static constexpr std::int32_t kRebias = (127 - kInfo.bias) << 23;
  // Constants of codes.
  static constexpr std::int32_t kSignCode = 1 << (kInfo.bits - 1);
  static constexpr std::int32_t kInfinityCode = ((1 << kInfo.exponent_bits) - 1) << kInfo.fraction_bits;
  static constexpr std::int32_t kNanCode =
      kIeee ? kInfinityCode | 1 << (kInfo.fraction_bits - 1) : kSignCode - 1;
  /// Constants of FP32. A format without NaN uses its largest number instead (ptx9 cvt.satfinite).
  static constexpr std::int32_t kNanValue = kInfo.specials == Specials::kNone ? kLargest : kNan;
  static constexpr std::int32_t beyond(Overflow overflow) {
    if (overflow == Overflow::kSaturate) return kLargest;
    return kIeee ? kInfinity : kNanValue;
  }
};

/// The number of the format nearest to `value`; ties to even. NaN is canonical.
template <Format format, Overflow overflow, class Float>
SPICA_LANES Float rounded(Float value) {
  using L = Layout<format>;
  using Ints = IntsOf<Float>;
  const Ints bits = as<Ints>(value), magnitude = bits & ~kSign;
  Ints kept = magnitude;
  if constexpr (L::kDropped > 0) {
    constexpr std::int32_t kRest = (1 << L::kDropped) - 1;
    // The sign bit is set so that no NaN overflows the integers.
    kept = ((bits | kSign) + (kRest >> 1) + (magnitude >> L::kDropped & 1)) & ~(kRest | kSign);
  }
  if constexpr (L::kNarrow) {
    const Float grid = as<Float>(Ints{} + L::kGridBits);
    const Ints subnormal = as<Ints>((as<Float>(magnitude) + grid) - grid);
    kept = chosen(magnitude < L::kLeastNormal, subnormal, kept);
  }
  constexpr std::int32_t kBeyond = L::beyond(overflow);
  const auto beyond = kept > L::kLargest;
  if constexpr (kBeyond == kNan) kept = chosen(beyond, Ints{} + kNan, kept | (bits & kSign));
  else kept = chosen(beyond, Ints{} + kBeyond, kept) | (bits & kSign);
  kept = chosen(magnitude > kInfinity, Ints{} + L::kNanValue, kept);
  return as<Float>(kept);
}

/// The code of a number that the format can represent.
template <Format format, class Float>
SPICA_LANES IntsOf<Float> code_of(Float value) {
  using L = Layout<format>;
  using Ints = IntsOf<Float>;
  const Ints bits = as<Ints>(value), magnitude = bits & ~kSign;
  if constexpr (L::kInfo.stored_bits == 32) return bits;
  else {
    constexpr unsigned kToSign = 32 - L::kInfo.bits;
    Ints code = (magnitude - L::kRebias) >> L::kDropped;
    if constexpr (L::kNarrow) {
      const Float grid = as<Float>(Ints{} + L::kGridBits);
      code = chosen(magnitude < L::kLeastNormal, as<Ints>(as<Float>(magnitude) + grid) - L::kGridBits, code);
      if constexpr (L::kIeee) code = chosen(magnitude == kInfinity, Ints{} + L::kInfinityCode, code);
    }
    code = code | ((bits >> kToSign) & L::kSignCode);
    if constexpr (L::kInfo.specials != Specials::kNone)
      code = chosen(magnitude > kInfinity, Ints{} + L::kNanCode, code);
    return code;
  }
}

/// The value of a code. Bits above the code are ignored. NaN is canonical.
template <Format format, class Float, class Ints>
SPICA_LANES Float value_of(Ints bits) {
  using L = Layout<format>;
  if constexpr (L::kInfo.stored_bits == 32) {
    const Ints kept = bits & ~((1 << L::kDropped) - 1);
    const Ints magnitude = kept & ~kSign;
    return as<Float>(chosen(magnitude > kInfinity, Ints{} + kNan, kept));
  } else {
    constexpr unsigned kToSign = 32 - L::kInfo.bits;
    const Ints magnitude = bits & (L::kSignCode - 1);
    Ints value = magnitude << L::kDropped;
    if constexpr (L::kNarrow)  // a multiplication, which subnormal numbers need
      value = as<Ints>(as<Float>(value) * as<Float>(Ints{} + (L::kRebias + (127 << 23))));
    value = value | (bits & L::kSignCode) << kToSign;
    if constexpr (L::kIeee) {
      if constexpr (L::kNarrow)
        value = chosen(magnitude == L::kInfinityCode, ((bits & L::kSignCode) << kToSign) | kInfinity, value);
      value = chosen(magnitude > L::kInfinityCode, Ints{} + kNan, value);
    } else if constexpr (L::kInfo.specials == Specials::kOneNan) {
      value = chosen(magnitude == L::kNanCode, Ints{} + kNan, value);
    }
    return as<Float>(value);
  }
}

/// The integer of the format nearest to `value`; ties to even; NaN gives 0 (ptx9 cvt). Formats of up to 8 bits.
template <Format format, class Float>
SPICA_LANES IntsOf<Float> integer_of(Float value) {
  using Ints = IntsOf<Float>;
  constexpr const FormatInfo& kInfo = info(format);
  static_assert(!kInfo.is_float && kInfo.bits <= 8);
  constexpr std::int32_t kMost = (1 << (kInfo.bits - kInfo.is_signed)) - 1;
  constexpr std::int32_t kLeast = kInfo.is_signed ? -kMost - 1 : 0;
  constexpr float kUnits = 0x1.8p23f;  // FP32 numbers near this value are the integers
  const Float most = Float{} + static_cast<float>(kMost), least = Float{} + static_cast<float>(kLeast);
  Ints kept = chosen(value > most, as<Ints>(most), as<Ints>(value));
  kept = chosen(value < least, as<Ints>(least), kept);
  kept = chosen(value != value, Ints{}, kept);
  return as<Ints>(as<Float>(kept) + kUnits) - as<Ints>(Float{} + kUnits);
}

}  // namespace lanes
}  // namespace spica::numeric
