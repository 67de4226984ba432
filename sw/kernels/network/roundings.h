// SPDX-License-Identifier: Apache-2.0
// Sine, cosine and roundings of single elements, in the form of functions.h: without branches. Polynomials are
// least-squares fits; errors stay below 4 units in the last place of FP32, or of the argument where a result crosses 0.
#pragma once

#include "sw/kernels/network/functions.h"

namespace network {

constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: next to it FP32 has the integers

SIMT_INLINE float polynomial(float) { return 0.0f; }
/// first + x * (second + x * (...)).
template <class... Rest>
SIMT_INLINE float polynomial(float x, float first, Rest... rest) {
  return fmaf(polynomial(x, rest...), x, first);
}

/// `magnitude` with the sign of x.
SIMT_INLINE float with_sign(float magnitude, float x) {
  return float_from_bits((float_to_bits(magnitude) & 0x7FFFFFFFu) | (float_to_bits(x) & 0x80000000u));
}

/// The nearest integer, of two the even one.
SIMT_INLINE float nearest_integer(float x) {
  const float rounded = with_sign((fabsf(x) + 8388608.0f) - 8388608.0f, x);
  return float_select(float_mask(fabsf(x) < 8388608.0f), rounded, x);
}
SIMT_INLINE float integer_below(float x) {
  const float nearest = nearest_integer(x);
  return nearest - number(nearest > x);
}

/// An argument of sine and cosine: quarters of a turn, and the rest from -pi/4 to pi/4.
struct Angle {
  uint32_t quarters;
  float rest;
};
/// The bits of 2 / pi behind the point, after 32 zeros.
inline const uint32_t kTwoByPi[] = {0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                    0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561};
/// For |x| from 2^17 on: of the product of its 24 bits and 2 / pi only what is below four quarters counts.
SIMT_INLINE Angle large_angle(float x) {
  const uint32_t bits = float_to_bits(x), significand = (bits & 0x7FFFFFu) | 0x800000u;
  const uint32_t skipped = (bits >> 23 & 0xFFu) - 127 - 23 + 30;
  const uint32_t* const words = kTwoByPi + (skipped >> 5 & 7);
  const uint32_t shift = skipped & 31;
  const auto word = [=](unsigned i)
                        NETWORK_BODY { return words[i] << shift | (words[i + 1] >> 1) >> (31 - shift); };
  const auto high = [=](uint32_t factor) NETWORK_BODY {
    return static_cast<uint32_t>(static_cast<uint64_t>(significand) * factor >> 32);
  };
  const uint32_t middle = word(1), carried = high(word(2)), low = significand * middle + carried;
  const uint32_t top = significand * word(0) + high(middle) + (low < carried);
  const uint32_t quarters = (top + 0x20000000u) >> 30;
  const float part = static_cast<float>(static_cast<int32_t>(top - (quarters << 30))) * 0x1p-30f +
                     static_cast<float>(low) * 0x1p-62f;
  const float rest = part * 1.57079637f;
  return {simt_select(bits >> 31, 0u - quarters, quarters),
          float_from_bits(float_to_bits(rest) ^ (bits & 0x80000000u))};
}

/// sin(x + quarter * pi / 2).
SIMT_INLINE float sine(float x, uint32_t quarter) {
  const float shifted = fmaf(x, 0.636619747f, kMagic), whole = shifted - kMagic;
  Angle angle{float_to_bits(shifted) - float_to_bits(kMagic),
              fmaf(whole, 4.37113883e-8f, fmaf(whole, -1.57079637f, x))};
  SIMT_IF(fabsf(x) >= 131072.0f)
    angle = large_angle(x);
  SIMT_END_IF
  const float r = angle.rest;
  const uint32_t turn = angle.quarters + quarter;
  const float square = r * r;
  const float odd = fmaf(r * square, polynomial(square, -1.66666647e-1f, 8.33274890e-3f, -1.95879882e-4f), r);
  const float even =
      fmaf(square * square, polynomial(square, 4.16666647e-2f, -1.38883035e-3f, 2.45480190e-5f),
           fmaf(square, -0.5f, 1.0f));
  const float result = float_select(float_mask(turn & 1u), even, odd);
  const float finite = float_from_bits(float_to_bits(result) ^ ((turn & 2u) << 30));
  return finite + x * 0.0f;  // NaN for infinity
}

NETWORK_UNARY(Sin, sine(x, 0));
NETWORK_UNARY(Cos, sine(x, 1));
NETWORK_UNARY(Floor, integer_below(x));
NETWORK_UNARY(Ceil, -integer_below(-x));
NETWORK_UNARY(Round, nearest_integer(x));
NETWORK_UNARY(Sign, float_from_bits(float_to_bits(with_sign(number(x != 0.0f), x))));
NETWORK_BINARY(Mod, fmaf(-with_sign(integer_below(fabsf(x / y)), x / y), y, x));  // the sign of x, as fmod

// The code for large angles needs the registers of several elements.
template <>
inline constexpr unsigned kTogether<Sin> = 1;
template <>
inline constexpr unsigned kTogether<Cos> = 1;

// Kernels by the format T of their operands, as in main.cpp.
#define NETWORK_ROUNDING_KERNELS(X, T) \
  X(sin, Sin, T);                      \
  X(cos, Cos, T);                      \
  X(floor, Floor, T);                  \
  X(ceil, Ceil, T);                    \
  X(round, Round, T);                  \
  X(sign, Sign, T);                    \
  X(mod, Mod, T)

}  // namespace network
