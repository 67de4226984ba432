// SPDX-License-Identifier: Apache-2.0
// Functions of <math.h> that are inlined where they are used, without branches on which lanes may diverge. Their errors
// are those of <math.h>.
#pragma once

#include <math.h>
#include <stdint.h>

#include "exponential.h"
#include "float_bits.h"

namespace inlined {

inline constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer

/// p * 2^n for -300 < n < 300, rounded once where the result is below 2^-126.
SIMT_INLINE float scaled(float p, int32_t n) {
  const int32_t half = n >> 1;
  return p * float_power_of_two(half) * float_power_of_two(n - half);
}

/// 2^(x + rest), |x| < 300, |rest| small.
SIMT_INLINE float power_of_two(float x, float rest) {
  const float shifted = x + kMagic;
  const int32_t n = static_cast<int32_t>(float_to_bits(shifted) - float_to_bits(kMagic));
  const float r = x - (shifted - kMagic) + rest;
  float p = 1.53149285e-5f;
  p = fmaf(p, r, 1.54670925e-4f);
  p = fmaf(p, r, 1.3333431e-3f);
  p = fmaf(p, r, 9.61803738e-3f);
  p = fmaf(p, r, 5.55041097e-2f);
  p = fmaf(p, r, 0.240226507f);
  p = fmaf(p, r, 0.693147182f);
  return scaled(fmaf(p, r, 1.0f), n);
}

/// A positive number as 2^exponent * (1 + part), part in [sqrt(1/2) - 1, sqrt(2) - 1).
struct Split {
  float exponent, part;
};
SIMT_INLINE Split split(float x) {
  const uint32_t tiny = float_mask(x < 1.17549435e-38f);
  const uint32_t bits = float_to_bits(float_select(tiny, x * 16777216.0f, x));
  const uint32_t above = bits - 0x3F3504F3u;  // sqrt(1/2)
  const int32_t e = (static_cast<int32_t>(above) >> 23) - static_cast<int32_t>(tiny & 24u);
  return {static_cast<float>(e), float_from_bits((above & 0x007FFFFFu) + 0x3F3504F3u) - 1.0f};
}

/// A sum of two floats, of which the first is the sum rounded.
struct Two {
  float high, low;
};
SIMT_INLINE Two sum_of(float large, float small) {
  const float high = large + small;
  return {high, small - (high - large)};
}
SIMT_INLINE Two product_of(float a, float b) {
  const float high = a * b;
  return {high, fmaf(a, b, -high)};
}

/// log(1 + f): 2 s + s^3 (2/3 + ...), s = f / (2 + f), the quotient and its first two terms in two floats.
SIMT_INLINE Two log_of(float f) {
  const Two below = sum_of(2.0f, f);
  const float s = f / below.high;
  const float rest = fmaf(-s, below.low, fmaf(-s, below.high, f)) / below.high;
  const float z = s * s;
  float p = 0.234419644f;
  p = fmaf(p, z, 0.285461992f);
  p = fmaf(p, z, 0.400001615f);
  const Two square = product_of(s, s);
  const Two cube = product_of(square.high, s);
  const Two term = product_of(cube.high, 0.666666687f);
  const float small = fmaf(cube.high, fmaf(p, z, -1.98682152e-8f),
                           fmaf(0.666666687f, fmaf(square.low, s, cube.low), term.low)) +
                      2.0f * rest + 2.0f * z * rest;
  const Two sum = sum_of(2.0f * s, term.high);
  return sum_of(sum.high, sum.low + small);
}

/// log of x > 0 to another base, in two floats: exponent * per_two + log(1 + part) * per_e, the factors in two parts
/// each.
SIMT_INLINE Two log_in(float x, Two per_two, Two per_e) {
  const Split parts = split(x);
  const Two natural = log_of(parts.part);
  const Two fraction = product_of(natural.high, per_e.high);
  const float small = fmaf(natural.low, per_e.high, fmaf(natural.high, per_e.low, fraction.low));
  const float whole = parts.exponent * per_two.high;  // exact: few bits
  const Two sum = sum_of(whole, fraction.high);
  const Two other = sum_of(fraction.high, whole);
  const uint32_t order = float_mask(fabsf(whole) >= fabsf(fraction.high));
  const float lost = float_select(order, sum.low, other.low);
  return sum_of(sum.high, fmaf(parts.exponent, per_two.low, small + lost));
}
inline constexpr Two kLog2OfE{1.44269502f, 1.92596303e-8f}, kLog10OfE{0.434294492f, -1.010305e-8f},
    kLog10Of2{0.301025391f, 4.60503907e-6f};

/// What all logarithms have in common: of 0, infinity and values that are not positive.
SIMT_INLINE float special_log(float x, float result) {
  result = float_select(float_mask(x == 0.0f), -INFINITY, result);
  result = float_select(float_mask(x == INFINITY), x, result);
  return float_select(float_mask((x < 0.0f) | (x != x)), NAN, result);
}

/// log(x) = e ln 2 + log(m), m in [sqrt(1/2), sqrt(2)): with s = f / (2 + f), f = m - 1,
/// log(m) = f - s (f - s^2 R(s^2)) arranged so that the small terms are added last.
SIMT_INLINE float log(float x) {
  const uint32_t tiny = float_mask(x < 1.17549435e-38f);
  const float normal = float_select(tiny, x * 16777216.0f, x);
  const uint32_t bits = float_to_bits(normal);
  const uint32_t above = bits - 0x3F3504F3u;  // sqrt(1/2): e is the exponent relative to it
  const int32_t e = (static_cast<int32_t>(above) >> 23) - static_cast<int32_t>(tiny & 24u);
  const float f = float_from_bits((above & 0x007FFFFFu) + 0x3F3504F3u) - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float odd = z * fmaf(z * z, 0.28498787f, 0.66666663f);
  const float even = z * z * fmaf(z * z, 0.24279079f, 0.40000972f);
  const float half_square = 0.5f * f * f;
  const float whole = static_cast<float>(e);
  float result = fmaf(s, half_square + odd + even, whole * 9.0580006e-6f) - half_square + f;
  result = fmaf(whole, 0.69313812f, result);
  result = float_select(float_mask(x == 0.0f), -INFINITY, result);
  result = float_select(float_mask(x == INFINITY), x, result);
  return float_select(float_mask((x < 0.0f) | (x != x)), NAN, result);
}

/// 2^(y log2(x)), the logarithm and the product in two floats.
SIMT_INLINE float pow(float x, float y) {
  const float size = fabsf(x);
  const Two log = log_in(size, {1.0f, 0.0f}, kLog2OfE);
  const Two product = product_of(log.high, y);
  const float rest = fmaf(log.low, y, product.low);
  const float bounded = fminf(fmaxf(product.high, -200.0f), 200.0f);
  float result = power_of_two(bounded, float_select(float_mask(bounded == product.high), rest, 0.0f));

  const uint32_t huge =
      float_mask((float_to_bits(y) & 0x7F800000u) >= 0x4B800000u);  // from 2^24 on all are even
  const int32_t whole = static_cast<int32_t>(float_select(huge, 0.0f, y));
  const uint32_t is_whole = huge | float_mask(static_cast<float>(whole) == y);
  const uint32_t is_odd = ~huge & is_whole & float_mask(static_cast<unsigned>(whole) & 1);
  const uint32_t falls = float_sign_mask(y), is_negative = float_sign_mask(x);

  const uint32_t is_infinite = float_mask((float_to_bits(y) & 0x7FFFFFFFu) == 0x7F800000u);
  const uint32_t grows = float_mask(size > 1.0f) ^ falls;
  result = float_select(is_infinite, float_select(grows, INFINITY, 0.0f), result);
  result = float_select(float_mask(size == 0.0f), float_select(falls, INFINITY, 0.0f), result);
  result = float_select(float_mask(size == INFINITY), float_select(falls, 0.0f, INFINITY), result);
  result = float_select(is_infinite & float_mask(size == 1.0f), 1.0f, result);
  result = float_from_bits(float_to_bits(result) | (is_negative & is_odd & 0x80000000u));
  result = float_select(float_mask((x < 0.0f) & (size != INFINITY)) & ~is_whole, NAN, result);
  result = float_select(float_mask((x != x) | (y != y)), NAN, result);
  return float_select(float_mask((x == 1.0f) | (y == 0.0f)), 1.0f, result);
}

SIMT_INLINE float tanh(float x) {
  const float size = fabsf(x), s = x * x;
  float p = -5.90586755e-3f;
  p = fmaf(p, s, 2.08053831e-2f);
  p = fmaf(p, s, -5.37866838e-2f);
  p = fmaf(p, s, 0.133319587f);
  p = fmaf(p, s, -0.333332986f);
  const float small = fmaf(p * s, x, x);
  const float large = 1.0f - 2.0f / (exponential_exact(2.0f * fminf(size, 10.0f)) + 1.0f);
  const float result = float_select(float_mask(size < 0.6f), small, copysignf(large, x));
  return float_select(float_mask(x != x), NAN, result);
}

/// Up to 0.92 a polynomial, above 1 - exp(another).
SIMT_INLINE float erf(float x) {
  const float size = fminf(fabsf(x), 4.0f), s = size * size;
  float p = -5.98875515e-4f;
  p = fmaf(p, s, 4.99327527e-3f);
  p = fmaf(p, s, -2.67671011e-2f);
  p = fmaf(p, s, 0.112818442f);
  p = fmaf(p, s, -0.376124978f);
  p = fmaf(p, s, 0.128379107f);  // and 1, so that the product is rounded once
  const float small = fmaf(p, x, x);
  float q = -2.11618317e-5f;
  q = fmaf(q, size, 4.35218069e-4f);
  q = fmaf(q, size, -4.17463947e-3f);
  q = fmaf(q, size, 2.5128616e-2f);
  q = fmaf(q, size, -0.108293936f);
  q = fmaf(q, size, -0.633334637f);
  q = fmaf(q, size, -1.12952077f);
  q = fmaf(q, size, 1.75873472e-4f);
  const float result =
      float_select(float_mask(size < 0.92f), small, copysignf(1.0f - exponential_exact(q), x));
  return float_select(float_mask(x != x), NAN, result);
}

}  // namespace inlined
