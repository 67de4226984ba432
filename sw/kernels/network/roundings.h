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

/// sin(x + quarter * pi / 2), for |x| up to 10^5.
SIMT_INLINE float sine(float x, uint32_t quarter) {
  const float shifted = fmaf(x, 0.636619747f, kMagic), whole = shifted - kMagic;
  const float r = fmaf(whole, 4.37113883e-8f, fmaf(whole, -1.57079637f, x));
  const uint32_t turn = float_to_bits(shifted) - float_to_bits(kMagic) + quarter;
  const float square = r * r;
  const float odd = fmaf(r * square, polynomial(square, -1.66666647e-1f, 8.33274890e-3f, -1.95879882e-4f), r);
  const float even =
      fmaf(square * square, polynomial(square, 4.16666647e-2f, -1.38883035e-3f, 2.45480190e-5f),
           fmaf(square, -0.5f, 1.0f));
  const float result = float_select(float_mask(turn & 1u), even, odd);
  return float_from_bits(float_to_bits(result) ^ ((turn & 2u) << 30));
}

NETWORK_UNARY(Sin, sine(x, 0));
NETWORK_UNARY(Cos, sine(x, 1));
NETWORK_UNARY(Floor, integer_below(x));
NETWORK_UNARY(Ceil, -integer_below(-x));
NETWORK_UNARY(Round, nearest_integer(x));
NETWORK_UNARY(Sign, float_from_bits(float_to_bits(with_sign(number(x != 0.0f), x))));
NETWORK_BINARY(Mod, fmaf(-with_sign(integer_below(fabsf(x / y)), x / y), y, x));  // the sign of x, as fmod

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
