// SPDX-License-Identifier: Apache-2.0
// Sums of products as rationals, and what they become in FP32.
#pragma once

#include <optional>
#include <random>

#include "models/numeric/convert.h"
#include "testbenches/support/exact_formats.h"

namespace spica::numeric::exact {

/// floor(log2(value)) of a positive number.
inline int exponent_of(const Rational& value) {
  const auto bits = [](const boost::multiprecision::cpp_int& number) {
    return static_cast<int>(boost::multiprecision::msb(number));
  };
  int exponent = bits(numerator(value)) - bits(denominator(value));
  if (value < power_of_two(exponent)) --exponent;
  return exponent;
}

/// The multiple of 2^grid next to `value` towards zero, and whether something is left.
inline boost::multiprecision::cpp_int multiples(const Rational& value, int grid, Rational& rest) {
  const Rational count = value / power_of_two(grid);
  const boost::multiprecision::cpp_int whole = numerator(count) / denominator(count);
  rest = count - Rational(whole);
  return whole;
}

/// FP32 nearest to a number, of two the even one; or cut off.
inline float to_single(const Rational& exact, bool nearest) {
  if (exact == 0) return 0;
  const bool minus = exact < 0;
  const Rational magnitude = minus ? Rational(-exact) : exact;
  const int grid = std::max(exponent_of(magnitude), -126) - 23;
  Rational rest;
  boost::multiprecision::cpp_int count = multiples(magnitude, grid, rest);
  if (nearest && (rest * 2 > 1 || (rest * 2 == 1 && count % 2 != 0))) ++count;
  const double value = std::ldexp(count.convert_to<double>(), grid);
  const float single = value >= 0x1p128 ? std::numeric_limits<float>::infinity() : static_cast<float>(value);
  return minus ? -single : single;
}

/// a * b + c as one rounded operation; infinities and NaN as in IEEE 754.
inline float multiply_add(float a, float b, float c) {
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c))  // no finite product overflows there
    return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
  const Rational sum = of_double(static_cast<double>(a)) * of_double(static_cast<double>(b)) +
                       of_double(static_cast<double>(c));
  const bool minus_zero = sum == 0 && std::signbit(a * b) && std::signbit(c) && (a * b == 0);
  return minus_zero ? -0.0f : to_single(sum, true);
}

/// A number of the format: any code, or mostly one near 1.
inline float random_number(Format format, std::mt19937& random, bool any) {
  const auto code = static_cast<std::uint32_t>(random());
  if (any || !info(format).is_float) return value_of(format, code);
  const float near =
      std::ldexp(1 + std::ldexp(static_cast<float>(code >> 9), -23), static_cast<int>(random() % 9) - 4);
  return value_of(format, nearest(format, random() % 2 != 0 ? near : -near));
}

}  // namespace spica::numeric::exact
