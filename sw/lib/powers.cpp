// SPDX-License-Identifier: Apache-2.0
// Exponentials, logarithms and powers, in single precision, that math.cpp does not have. No branches: special cases are
// selected with masks. Polynomials are minimax.
#include <math.h>

#include <stdint.h>

#include "float_bits.h"

namespace {

constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer

/// p * 2^n for -300 < n < 300, rounded once where the result is below 2^-126.
float scaled(float p, int32_t n) {
  const int32_t half = n >> 1;
  return p * float_power_of_two(half) * float_power_of_two(n - half);
}

/// 2^(x + rest), |x| < 300, |rest| small.
float power_of_two(float x, float rest) {
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
Split split(float x) {
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
Two sum_of(float large, float small) {
  const float high = large + small;
  return {high, small - (high - large)};
}
Two product_of(float a, float b) {
  const float high = a * b;
  return {high, fmaf(a, b, -high)};
}

/// log(1 + f): 2 s + s^3 (2/3 + ...), s = f / (2 + f), the quotient and its first two terms in two floats.
Two log_of(float f) {
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
Two log_in(float x, Two per_two, Two per_e) {
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
constexpr Two kLog2OfE{1.44269502f, 1.92596303e-8f}, kLog10OfE{0.434294492f, -1.010305e-8f},
    kLog10Of2{0.301025391f, 4.60503907e-6f};

/// What all logarithms have in common: of 0, infinity and values that are not positive.
float special_log(float x, float result) {
  result = float_select(float_mask(x == 0.0f), -INFINITY, result);
  result = float_select(float_mask(x == INFINITY), x, result);
  return float_select(float_mask((x < 0.0f) | (x != x)), NAN, result);
}

}  // namespace

extern "C" {

float exp2f(float x) {
  const float result = power_of_two(fminf(fmaxf(x, -151.0f), 129.0f), 0.0f);
  return float_select(float_mask(x != x), NAN, result);
}

// exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1)
float expm1f(float x) {
  const float bounded = fminf(fmaxf(x, -18.0f), 89.0f);
  const float shifted = fmaf(bounded, 1.44269504f, kMagic), whole = shifted - kMagic;
  const int32_t n = static_cast<int32_t>(float_to_bits(shifted) - float_to_bits(kMagic));
  const float exact = fmaf(whole, -0.693145752f, bounded);
  const float r = fmaf(whole, -1.42860677e-6f, exact);
  const float lost = fmaf(whole, -1.42860677e-6f, exact - r);
  float p = 1.9915594e-4f;
  p = fmaf(p, r, 1.39420072e-3f);
  p = fmaf(p, r, 8.33327044e-3f);
  p = fmaf(p, r, 4.16663438e-2f);
  p = fmaf(p, r, 0.166666672f);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p, r * r, lost) + r;
  const int32_t half = n >> 1;
  const float first = float_power_of_two(half), second = float_power_of_two(n - half);
  const float small = fmaf(p, first * second, first * second - 1.0f);  // 2^128 overflows
  const float large = (p + 1.0f) * first * second;
  const float result = float_select(float_mask(n > 100), large, small);
  return float_select(float_mask(x != x), NAN, float_select(float_mask(x == 0.0f), x, result));
}

float log2f(float x) { return special_log(x, log_in(x, {1.0f, 0.0f}, kLog2OfE).high); }
float log10f(float x) { return special_log(x, log_in(x, kLog10Of2, kLog10OfE).high); }

// log(u) with u = 1 + x rounded, and what the rounding lost divided by u.
float log1pf(float x) {
  const float u = 1.0f + x;
  const float larger = fmaxf(1.0f, x), smaller = fminf(1.0f, x);
  const float lost = smaller - (u - larger);
  const Two log = log_in(u, {0.693115234f, 3.19461833e-5f}, {1.0f, 0.0f});
  float result = log.high + (log.low + lost / u);
  result = float_select(float_mask(fabsf(x) < 0x1p-24f), x, result);
  result = float_select(float_mask(x == -1.0f), -INFINITY, result);
  result = float_select(float_mask(x == INFINITY), x, result);
  return float_select(float_mask((x < -1.0f) | (x != x)), NAN, result);
}

// 2^(y log2(x)), the logarithm and the product in two floats.
float powf(float x, float y) {
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

float tanhf(float x) {
  const float size = fabsf(x), s = x * x;
  float p = -5.90586755e-3f;
  p = fmaf(p, s, 2.08053831e-2f);
  p = fmaf(p, s, -5.37866838e-2f);
  p = fmaf(p, s, 0.133319587f);
  p = fmaf(p, s, -0.333332986f);
  const float small = fmaf(p * s, x, x);
  const float large = 1.0f - 2.0f / (expf(2.0f * fminf(size, 10.0f)) + 1.0f);
  const float result = float_select(float_mask(size < 0.6f), small, copysignf(large, x));
  return float_select(float_mask(x != x), NAN, result);
}
float sinhf(float x) {
  const float size = fabsf(x), t = expm1f(fminf(size, 88.0f)), half = expf(0.5f * size);
  const float result =
      float_select(float_mask(size > 87.0f), 0.5f * half * half, 0.5f * (t + t / (t + 1.0f)));
  return float_select(float_mask(x != x), NAN, copysignf(result, x));
}
float coshf(float x) {
  const float size = fabsf(x), t = expf(fminf(size, 88.0f)), half = expf(0.5f * size);
  const float result = float_select(float_mask(size > 87.0f), 0.5f * half * half, fmaf(0.5f, t, 0.5f / t));
  return float_select(float_mask(x != x), NAN, result);
}

// Up to 0.92 a polynomial, above 1 - exp(another).
float erff(float x) {
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
  const float result = float_select(float_mask(size < 0.92f), small, copysignf(1.0f - expf(q), x));
  return float_select(float_mask(x != x), NAN, result);
}

float cbrtf(float x) {
  const float size = fabsf(x);
  const uint32_t tiny = float_mask(size < 1.17549435e-38f);
  const float normal = float_select(tiny, size * 0x1p24f, size);
  float root = float_from_bits(float_to_bits(normal) / 3 + 0x2A514067u);
  root = root - (root - normal / (root * root)) * 0.333333343f;
  root = root - (root - normal / (root * root)) * 0.333333343f;
  root = root - (root - normal / (root * root)) * 0.333333343f;
  root = float_select(tiny, root * 0x1p-8f, root);
  const uint32_t as_it_is = float_mask(size == 0.0f) | float_mask(!(size < INFINITY));
  return float_select(as_it_is, x + x, copysignf(root, x));
}
float hypotf(float x, float y) {
  const float a = fmaxf(fabsf(x), fabsf(y)), b = fminf(fabsf(x), fabsf(y));
  const float scale =
      float_select(float_mask(a > 0x1p60f), 0x1p-80f, float_select(float_mask(b < 0x1p-60f), 0x1p80f, 1.0f));
  const float back =
      float_select(float_mask(a > 0x1p60f), 0x1p80f, float_select(float_mask(b < 0x1p-60f), 0x1p-80f, 1.0f));
  const Two square = product_of(a * scale, a * scale);
  float result = sqrtf(square.high + fmaf(b * scale, b * scale, square.low)) * back;
  result = float_select(float_mask(b < a * 0x1p-13f), a, result);
  result = float_select(float_mask((x != x) | (y != y)), NAN, result);
  return float_select(float_mask(a == INFINITY), INFINITY, result);
}

}  // extern "C"
