// SPDX-License-Identifier: Apache-2.0
// Arithmetic of IEEE formats with integers, for those that the machine has no instructions for: to nearest, ties to
// even, with subnormal numbers; what is not a number is 0x7FF8000000000000, as from the machine's own instructions. No
// branches: special cases are selected with masks.
#pragma once

#include <stdint.h>

#include "words.h"

namespace soft_float {

using words::choose;
using words::mask;

inline uint64_t bits_of(double number) {
  uint64_t bits;
  __builtin_memcpy(&bits, &number, sizeof bits);
  return bits;
}
inline double double_of(uint64_t bits) {
  double number;
  __builtin_memcpy(&number, &bits, sizeof number);
  return number;
}

/// (-1)^sign * significand / 2^63 * 2^(exponent - bias of the format)
struct Number {
  uint32_t sign;  // in bit 31
  int32_t exponent;
  uint64_t significand;  // its first bit is bit 63, unless the number is 0 or subnormal
};

template <class Word, unsigned Fraction>
struct Format {
  using Bits = Word;
  static constexpr unsigned kBits = 8 * sizeof(Word), kFraction = Fraction, kDropped = 63 - Fraction;
  static constexpr int32_t kSpecial = (1 << (kBits - 1 - Fraction)) - 1, kBias = kSpecial / 2;
  static constexpr Bits kInfinity = static_cast<Bits>(kSpecial) << Fraction,
                        kNan = kInfinity | static_cast<Bits>(1) << (Fraction - 1);

  static Bits signed_bits(uint32_t sign, Bits size) { return size | static_cast<Bits>(sign) << (kBits - 32); }
  static uint32_t sign(Bits bits) { return static_cast<uint32_t>(bits >> (kBits - 32)) & 0x80000000u; }
  static Bits size(Bits bits) { return bits << 1 >> 1; }
  /// Of a size.
  static int32_t exponent(Bits size) { return static_cast<int32_t>(size >> Fraction); }

  static Number unpack(Bits bits) {
    const Bits all = size(bits);
    const uint32_t normal = exponent(all) != 0;
    const uint64_t fraction = static_cast<uint64_t>(all) << (64 - kBits) << (kBits - 1 - Fraction) << 1 >> 1;
    return {sign(bits), exponent(all) + static_cast<int32_t>(normal ^ 1),
            fraction | static_cast<uint64_t>(normal) << 63};
  }

  /// The size of a number with exponent >= 1; with a first bit of 0 the exponent must be 1.
  static Bits rounded(int32_t exponent, uint64_t significand) {
    const uint64_t rest = significand & ((1ull << kDropped) - 1), half = 1ull << (kDropped - 1);
    const Bits whole = static_cast<Bits>(significand >> kDropped);
    const Bits up = static_cast<Bits>((rest + (half - 1) + (whole & 1)) >> kDropped);
    const Bits size = (static_cast<Bits>(exponent - 1) << Fraction) + whole + up;
    return choose(mask(exponent >= kSpecial), kInfinity, size);
  }
  /// The same for any exponent.
  static Bits rounded_or_subnormal(int32_t exponent, uint64_t significand) {
    const uint32_t small = mask(exponent < 1), shift = static_cast<uint32_t>(1 - exponent) & small;
    const uint32_t most = mask(shift > 63);
    significand = words::shift_right_sticky(significand, choose(most, 63u, shift));
    return rounded(choose(small, 1, exponent), significand);
  }
};

struct Double : Format<uint64_t, 52> {};
struct Float : Format<uint32_t, 23> {};

inline unsigned is_special(uint64_t size) { return words::high(size) >= 0x7FF00000u; }
inline unsigned is_nan(uint64_t size) {
  return (words::high(size) | static_cast<unsigned>(words::low(size) != 0)) > 0x7FF00000u;
}
inline unsigned is_nan(uint32_t size) { return size > Float::kInfinity; }

/// The first bit to bit 63.
inline Number normalised(Number number) {
  const uint32_t zeros = words::leading_zeros(number.significand);
  number.significand = words::shift_left(number.significand, zeros);
  number.exponent -= static_cast<int32_t>(zeros);
  return number;
}

inline uint64_t add(uint64_t a, uint64_t b) {
  const uint32_t swap = mask(words::less(Double::size(a), Double::size(b)));
  const uint64_t other = (a ^ b) & words::wide(swap), large_bits = a ^ other, small_bits = b ^ other;
  const Number large = Double::unpack(large_bits), small = Double::unpack(small_bits);

  const uint32_t apart = static_cast<uint32_t>(large.exponent - small.exponent),
                 minus = simt_hide(0u - ((large.sign ^ small.sign) >> 31));
  const uint64_t aligned =
      words::shift_right_sticky(small.significand >> 1, choose(mask(apart > 63), 63u, apart));
  const uint64_t sum = (large.significand >> 1) + words::negate(minus, aligned);

  // Down to exponent 1 at least.
  const uint32_t zeros = words::leading_zeros(sum), there_is = mask(!words::is_zero(sum));
  const uint32_t most = static_cast<uint32_t>(large.exponent);
  const uint32_t shift = choose(mask(zeros < most), zeros, most);
  const int32_t exponent = 1 + static_cast<int32_t>((most - shift) & there_is);
  uint64_t size = Double::rounded(exponent, words::shift_left(sum, shift));

  const uint64_t large_size = Double::size(large_bits);
  const uint32_t infinities = is_special(Double::size(small_bits)) & (minus & 1);
  const uint32_t nan = mask(is_nan(large_size) | infinities);
  size = choose(mask(is_special(large_size)), choose(nan, Double::kNan, large_size), size);
  return Double::signed_bits(large.sign & (there_is | ~minus) & ~nan, size);
}

inline uint64_t multiply(uint64_t a, uint64_t b) {
  const uint32_t sign = Double::sign(a ^ b);
  const uint64_t size_a = Double::size(a), size_b = Double::size(b);
  const Number x = normalised(Double::unpack(size_a)), y = normalised(Double::unpack(size_b));

  // The upper half of the product, and whether there is a lower one. The last 11 bits of a significand are 0.
  const uint64_t low = words::product(words::low(x.significand), words::low(y.significand));
  const uint64_t cross_a =
      words::product(words::high(x.significand), words::low(y.significand)) + words::high(low);
  const uint64_t cross_b =
      words::product(words::low(x.significand), words::high(y.significand)) + words::low(cross_a);
  uint64_t product = words::product(words::high(x.significand), words::high(y.significand)) +
                     words::high(cross_a) + words::high(cross_b);
  product |= static_cast<unsigned>((words::low(low) | words::low(cross_b)) != 0);

  const uint32_t shift = words::high(product) >> 31 ^ 1;  // it has 127 or 128 bits
  product = choose(mask(shift), product << 1, product);
  const int32_t exponent = x.exponent + y.exponent + 1 - Double::kBias - static_cast<int32_t>(shift);
  const uint32_t zero = mask(words::is_zero(size_a) | words::is_zero(size_b));
  uint64_t size = Double::rounded_or_subnormal(exponent, product) & ~words::wide(zero);

  const uint32_t special = mask(is_special(size_a) | is_special(size_b));
  const uint32_t nan = mask(is_nan(size_a) | is_nan(size_b)) | (special & zero);
  size = choose(special, choose(nan, Double::kNan, Double::kInfinity), size);
  return Double::signed_bits(sign & ~nan, size);
}

inline uint64_t divide(uint64_t a, uint64_t b) {
  const uint32_t sign = Double::sign(a ^ b);
  const uint64_t size_a = Double::size(a), size_b = Double::size(b);
  const Number x = normalised(Double::unpack(size_a)), y = normalised(Double::unpack(size_b));

  // 55 bits of the quotient, too large by less than 1: with the sign of what remains it is rounded as the exact one.
  uint64_t quotient = words::multiply_high_about(x.significand, words::reciprocal(y.significand));
  const uint32_t shift = words::less(x.significand, y.significand);
  quotient = choose(mask(shift), quotient << 1, quotient);
  const uint64_t whole = (quotient >> 9) + 1;
  const uint64_t divisor = y.significand >> 11;
  const uint64_t dividend = words::join(words::low(x.significand >> 11) << 22 << shift, 0);
  const uint64_t rest = dividend - whole * divisor;
  const uint32_t below = words::high(rest) >> 31;
  quotient = (whole << 9) - below + ((below ^ 1) & static_cast<unsigned>(!words::is_zero(rest)));

  const int32_t exponent = x.exponent - y.exponent + Double::kBias - static_cast<int32_t>(shift);
  const uint32_t zero_a = mask(words::is_zero(size_a)), zero_b = mask(words::is_zero(size_b));
  const uint32_t special_a = mask(is_special(size_a)), special_b = mask(is_special(size_b));
  uint64_t size = Double::rounded_or_subnormal(exponent, quotient) & ~words::wide(zero_a | special_b);

  const uint32_t nan = mask(is_nan(size_a) | is_nan(size_b)) | (special_a & special_b) | (zero_a & zero_b);
  size = choose(special_a | zero_b, Double::kInfinity, size);
  size = choose(nan, Double::kNan, size);
  return Double::signed_bits(sign & ~nan, size);
}

/// -1, 0, 1: a is less, equal, greater; `unordered` where one of them is not a number.
inline int32_t compare(uint64_t a, uint64_t b, int32_t unordered) {
  const uint64_t size_a = Double::size(a), size_b = Double::size(b);
  const auto key = [](uint64_t bits,
                      uint64_t size) {  // in order as unsigned numbers; both zeros are the same
    return words::negate(simt_hide(0u - (words::high(bits) >> 31)), size) ^ 1ull << 63;
  };
  const uint64_t x = key(a, size_a), y = key(b, size_b);
  const int32_t order = static_cast<int32_t>(words::less(y, x)) - static_cast<int32_t>(words::less(x, y));
  return choose(mask(is_nan(size_a) | is_nan(size_b)), unordered, order);
}
inline int32_t unordered(uint64_t a, uint64_t b) {
  return static_cast<int32_t>(is_nan(Double::size(a)) | is_nan(Double::size(b)));
}

/// To nearest.
inline uint32_t to_float(uint64_t bits) {
  const uint64_t size = Double::size(bits);
  const Number number = Double::unpack(bits);
  uint32_t result =
      Float::rounded_or_subnormal(number.exponent - Double::kBias + Float::kBias, number.significand);
  const uint32_t nan = mask(is_nan(size));
  result = choose(mask(is_special(size)), choose(nan, Float::kNan, Float::kInfinity), result);
  return Float::signed_bits(number.sign & ~nan, result);
}

/// An integer as a number, to nearest.
template <class To>
typename To::Bits from_integer(uint32_t sign, uint64_t size) {
  const uint32_t zeros = words::leading_zeros(size), there_is = mask(!words::is_zero(size));
  const uint32_t exponent = static_cast<uint32_t>(To::kBias) + 62 - zeros;
  return To::signed_bits(
      sign, To::rounded(1 + static_cast<int32_t>(exponent & there_is), words::shift_left(size, zeros)));
}
template <class To>
typename To::Bits from_signed(int64_t number) {
  const uint32_t sign = words::high(static_cast<uint64_t>(number)) & 0x80000000u;
  return from_integer<To>(sign, words::negate(simt_hide(0u - (sign >> 31)), static_cast<uint64_t>(number)));
}

/// Towards zero, as the machine does for float: the nearest integer where there is none, the largest for what is not a
/// number.
template <class From, class Unsigned, bool kIsSigned>
Unsigned to_integer(typename From::Bits bits) {
  constexpr int32_t kBits = 8 * sizeof(Unsigned);
  const Number number = From::unpack(bits);
  const int32_t places = number.exponent - From::kBias;  // behind the first bit
  const uint32_t right = static_cast<uint32_t>(kBits - 1 - places) & (kBits - 1);
  Unsigned size;
  if constexpr (kBits == 32) size = words::high(number.significand) >> right;
  else size = words::shift_right(number.significand, right);

  const uint32_t negative = simt_hide(0u - (number.sign >> 31)) & ~mask(is_nan(From::size(bits)));
  const Unsigned most = (~static_cast<Unsigned>(0) >> kIsSigned) + (kIsSigned ? negative & 1 : 0);
  size = choose(mask(places >= kBits - kIsSigned), most, size);
  size = choose(mask(places < 0), Unsigned(0), size);
  if constexpr (kIsSigned) return words::negate(negative, size);
  else return choose(negative, Unsigned(0), size);
}

}  // namespace soft_float
