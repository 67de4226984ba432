// SPDX-License-Identifier: Apache-2.0
// Exponentials, logarithms and powers, in single precision, that math.cpp does not have. No branches: special cases are
// selected with masks. Polynomials are minimax.
#include <math.h>

#include <stdint.h>

#include "float_bits.h"
#include "inlined_math.h"

using namespace inlined;

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

float powf(float x, float y) { return inlined::pow(x, y); }

float tanhf(float x) { return inlined::tanh(x); }
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

float erff(float x) { return inlined::erf(x); }

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
