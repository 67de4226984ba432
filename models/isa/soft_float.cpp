// SPDX-License-Identifier: Apache-2.0
#include "models/isa/soft_float.h"

#include <algorithm>

#include "models/isa/execute.h"

namespace spica::isa::soft {

namespace {

using u32 = std::uint32_t;
__extension__ using u128 = unsigned __int128;

constexpr u32 kNan = 0x7FC00000;
constexpr u32 kInfinity = 0x7F800000;
constexpr u32 kSign = 0x80000000;
constexpr int kMinExponent = -126, kFractionBits = 23;

bool is_nan(u32 a) { return (a & ~kSign) > kInfinity; }
bool is_signalling(u32 a) { return is_nan(a) && (a & 0x00400000) == 0; }
bool is_infinite(u32 a) { return (a & ~kSign) == kInfinity; }
bool is_zero(u32 a) { return (a & ~kSign) == 0; }

/// A finite number that is not 0: significand * 2^exponent with the significand's top bit at
/// bit 23.
struct Number {
  u32 significand;
  int exponent;
};
Number unpack(u32 a) {
  const u32 fraction = a & 0x007FFFFF;
  const int field = static_cast<int>(a >> 23 & 0xFF);
  if (field != 0) return {fraction | 0x00800000, field - 150};
  const int shift = __builtin_clz(fraction) - 8;
  return {fraction << shift, -149 - shift};
}

/// Shifts right; bits that fall out leave a 1 in the lowest bit.
u128 shift_right_sticky(u128 value, int count) {
  if (count <= 0) return value;
  if (count > 127) return value != 0;
  return value >> count | ((value & ((u128{1} << count) - 1)) != 0);
}
int top_bit(u128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(static_cast<std::uint64_t>(value));
}

bool rounds_away(bool negative, bool odd, bool half, bool rest, unsigned rounding) {
  switch (rounding) {
    case kRtz: return false;
    case kRdn: return negative && (half || rest);
    case kRup: return !negative && (half || rest);
    case kRmm: return half;
    default: return half && (rest || odd);
  }
}

/// value / 2^count, rounded to an integer.
u32 rounded(u128 value, int count, bool negative, unsigned rounding, bool& inexact) {
  if (count <= 0) return static_cast<u32>(value << -count);
  const u128 kept = shift_right_sticky(value, count - 2);  // two bits below the result: half and rest
  const u128 low = count == 1 ? (value & 1) << 1 : kept & 3;
  const auto whole = static_cast<u32>(count == 1 ? value >> 1 : kept >> 2);
  inexact = low != 0;
  return whole + rounds_away(negative, whole & 1, (low & 2) != 0, (low & 1) != 0, rounding);
}

/// Rounds significand * 2^exponent (not 0; its lowest bit may represent bits below it) and raises
/// flags.
u32 round_and_pack(bool negative, u128 significand, int exponent, unsigned rounding, std::uint8_t& flags) {
  const int top = top_bit(significand) + exponent;  // 2^top <= value < 2^(top+1)
  const int unit = std::max(top, kMinExponent) - kFractionBits;
  bool inexact = false;
  u32 result = rounded(significand, unit - exponent, negative, rounding, inexact);
  const u32 sign = negative ? kSign : 0;
  if (inexact) flags |= kInexact;
  if (top < kMinExponent && inexact) {
    // Tiny unless rounding with an unbounded exponent reaches the smallest normal number.
    bool ignored = false;
    const u32 unbounded = rounded(significand, top - kFractionBits - exponent, negative, rounding, ignored);
    if (top < kMinExponent - 1 || unbounded != 0x01000000) flags |= kUnderflow;
  }
  // Adding the significand to the exponent field carries where rounding reached the next power of
  // two.
  const int field = unit + kFractionBits - kMinExponent;  // of a normal number, less one
  const std::uint64_t packed = (static_cast<std::uint64_t>(field) << kFractionBits) + result;
  if (packed < kInfinity) return sign | static_cast<u32>(packed);
  flags |= kOverflow | kInexact;
  const bool to_infinity = rounding == kRne || rounding == kRmm || rounding == (negative ? kRdn : kRup);
  return sign | (to_infinity ? kInfinity : kInfinity - 1);
}

u32 invalid(std::uint8_t& flags) {
  flags |= kInvalid;
  return kNan;
}

}  // namespace

u32 fused_multiply_add(u32 a, u32 b, u32 c, unsigned rounding, std::uint8_t& flags) {
  const bool zero_times_infinity = (is_zero(a) && is_infinite(b)) || (is_infinite(a) && is_zero(b));
  if (is_signalling(a) || is_signalling(b) || is_signalling(c) || zero_times_infinity) return invalid(flags);
  if (is_nan(a) || is_nan(b) || is_nan(c)) return kNan;
  const u32 product_sign = (a ^ b) & kSign;
  const u32 sign_c = c & kSign;
  if (is_infinite(a) || is_infinite(b)) {
    if (is_infinite(c) && sign_c != product_sign) return invalid(flags);
    return product_sign | kInfinity;
  }
  if (is_infinite(c)) return c;
  const bool product_zero = is_zero(a) || is_zero(b);
  const u32 zero_sign = rounding == kRdn ? kSign : 0;  // of an exact difference 0
  if (product_zero && is_zero(c)) return product_sign == sign_c ? c : zero_sign;
  if (product_zero) return c;

  const Number x = unpack(a), y = unpack(b);
  u128 product = u128{x.significand} * y.significand;  // below 2^48
  int exponent = x.exponent + y.exponent;
  if (is_zero(c)) return round_and_pack(product_sign != 0, product, exponent, rounding, flags);

  // Align: the larger exponent's significand moves left as far as there is room (result below
  // 2^119), the other one moves right by the rest, far below the last bit of the result.
  const Number z = unpack(c);
  u128 addend = z.significand;
  const int distance = exponent - z.exponent;
  if (distance >= 0) {
    const int left = std::min(distance, 70);
    product <<= left;
    exponent -= left;
    addend = shift_right_sticky(addend, distance - left);
  } else {
    const int left = std::min(-distance, 90);
    addend <<= left;
    product = shift_right_sticky(product, -distance - left);
    exponent = z.exponent - left;
  }
  if (product_sign == sign_c) return round_and_pack(sign_c != 0, product + addend, exponent, rounding, flags);
  if (product == addend) return zero_sign;
  const bool addend_larger = addend > product;
  const u128 difference = addend_larger ? addend - product : product - addend;
  return round_and_pack((addend_larger ? sign_c : product_sign) != 0, difference, exponent, rounding, flags);
}

u32 add(u32 a, u32 b, unsigned rounding, std::uint8_t& flags) {
  return fused_multiply_add(a, 0x3F800000, b, rounding, flags);
}

u32 multiply(u32 a, u32 b, unsigned rounding, std::uint8_t& flags) {
  return fused_multiply_add(a, b, (a ^ b) & kSign, rounding,
                            flags);  // a zero of the product's sign
}

u32 divide(u32 a, u32 b, unsigned rounding, std::uint8_t& flags) {
  if (is_signalling(a) || is_signalling(b)) return invalid(flags);
  if (is_nan(a) || is_nan(b)) return kNan;
  const u32 sign = (a ^ b) & kSign;
  if (is_infinite(a)) return is_infinite(b) ? invalid(flags) : sign | kInfinity;
  if (is_infinite(b)) return sign;
  if (is_zero(b)) {
    if (is_zero(a)) return invalid(flags);
    flags |= kDivideByZero;
    return sign | kInfinity;
  }
  if (is_zero(a)) return sign;
  const Number x = unpack(a), y = unpack(b);
  const std::uint64_t dividend = std::uint64_t{x.significand} << 40;
  const std::uint64_t quotient = dividend / y.significand;  // at least 2^39
  const bool rest = dividend % y.significand != 0;
  return round_and_pack(sign != 0, quotient | rest, x.exponent - y.exponent - 40, rounding, flags);
}

u32 sqrt(u32 a, unsigned rounding, std::uint8_t& flags) {
  if (is_signalling(a)) return invalid(flags);
  if (is_nan(a)) return kNan;
  if (is_zero(a)) return a;
  if ((a & kSign) != 0) return invalid(flags);
  if (is_infinite(a)) return a;
  Number x = unpack(a);
  const int odd = x.exponent & 1;
  const std::uint64_t radicand = std::uint64_t{x.significand} << (odd + 38);  // below 2^63
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1)
    if ((root | bit) * (root | bit) <= radicand) root |= bit;
  const bool rest = root * root != radicand;
  // One more bit below the root, so that the sticky bit is not one of the root's own.
  return round_and_pack(false, root << 1 | rest, (x.exponent - odd - 38) / 2 - 1, rounding, flags);
}

u32 from_unsigned(u32 a, unsigned rounding, std::uint8_t& flags) {
  return a == 0 ? 0 : round_and_pack(false, a, 0, rounding, flags);
}

u32 from_signed(u32 a, unsigned rounding, std::uint8_t& flags) {
  if (a == 0) return 0;
  const bool negative = (a & kSign) != 0;
  return round_and_pack(negative, negative ? 0 - a : a, 0, rounding, flags);
}

}  // namespace spica::isa::soft
