/* SPDX-License-Identifier: Apache-2.0
 *
 * Exponentials, inlined where they are used. None has a branch, so lanes with different
 * arguments may compute them together. Errors are measured in testbenches/unit/sw. */
#pragma once

#include <math.h>

#include "float_bits.h"

/* exp(x), 0.92 units in the last place off at most: 2^n * exp(r), r = x - n ln 2 in two parts,
 * |r| <= ln 2 / 2; polynomial of degree 7. The power is applied in two halves, so that results
 * below 2^-126 are rounded once, by the last multiplication. */
SIMT_INLINE float exponential_exact(float x) {
  const float bounded = fminf(fmaxf(x, -104.0f), 89.0f);
  const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
  const float shifted = fmaf(bounded, 1.44269504f, magic);
  const int32_t n = (int32_t)(float_to_bits(shifted) - float_to_bits(magic));
  const float whole = shifted - magic;
  const float exact = fmaf(whole, -0.693145752f, bounded); /* 0x1.62e4p-1: few bits, no rounding */
  const float r = fmaf(whole, -1.42860677e-6f, exact);
  const float lost = fmaf(whole, -1.42860677e-6f, exact - r); /* what rounding r dropped */
  const int32_t half = n >> 1;
  float p = 1.9841270e-4f; /* 1/7! */
  p = fmaf(p, r, 1.3888889e-3f);
  p = fmaf(p, r, 8.3333333e-3f);
  p = fmaf(p, r, 4.1666668e-2f);
  p = fmaf(p, r, 1.6666667e-1f);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p, r * r, lost) + r;
  p = (p + 1.0f) * float_power_of_two(half) * float_power_of_two(n - half);
  return float_from_bits(float_to_bits(p) | (float_mask(x != x) & 0x7FC00000u));
}

/* exp(x) for x <= 0, for softmax: 0.99 units in the last place off at most down to -87, exp(-87) =
 * 1.6e-38 below, which is negligible next to the largest weight, 1. NaN and -infinity give NaN. Like
 * exponential_exact(), but for one power of two and a polynomial of degree 6 fitted to 3.2e-9. */
SIMT_INLINE float exponential_negative(float x) {
  const float bounded = fmaxf(x, -87.0f);
  const float magic = 12582912.0f; /* 1.5 * 2^23: its low bits shifted by 23 are 0 */
  const float shifted = fmaf(bounded, 1.44269504f, magic);
  const float whole = shifted - magic;
  const float r = fmaf(whole, -1.42860677e-6f, fmaf(whole, -0.693145752f, bounded));
  float p = 1.3814027e-3f;
  p = fmaf(p, r, 8.3689926e-3f);
  p = fmaf(p, r, 4.1668415e-2f);
  p = fmaf(p, r, 1.6666518e-1f);
  p = fmaf(p, r, 0.49999994f);
  p = fmaf(p, r * r, r) + 1.0f;
  const float power = float_from_bits((float_to_bits(shifted) << 23) + 0x3F800000u);
  return fmaf(p, power, x * 0.0f); /* x * 0 is -0, or NaN */
}

/* The same of four numbers, in place, step by step for all of them: a step of one number does not wait for
 * its step before. */
SIMT_INLINE void exponential_negative_four(float* x) {
  const float magic = 12582912.0f;
  float bounded[4], shifted[4], r[4], p[4];
  int i;
#define EXPONENTIAL_EACH _Pragma("GCC unroll 4") for (i = 0; i < 4; ++i)
  EXPONENTIAL_EACH bounded[i] = fmaxf(x[i], -87.0f);
  EXPONENTIAL_EACH shifted[i] = fmaf(bounded[i], 1.44269504f, magic);
  EXPONENTIAL_EACH p[i] = shifted[i] - magic;
  EXPONENTIAL_EACH r[i] = fmaf(p[i], -0.693145752f, bounded[i]);
  EXPONENTIAL_EACH r[i] = fmaf(p[i], -1.42860677e-6f, r[i]);
  EXPONENTIAL_EACH p[i] = fmaf(1.3814027e-3f, r[i], 8.3689926e-3f);
  EXPONENTIAL_EACH p[i] = fmaf(p[i], r[i], 4.1668415e-2f);
  EXPONENTIAL_EACH p[i] = fmaf(p[i], r[i], 1.6666518e-1f);
  EXPONENTIAL_EACH p[i] = fmaf(p[i], r[i], 0.49999994f);
  EXPONENTIAL_EACH p[i] = fmaf(p[i], r[i] * r[i], r[i]) + 1.0f;
  EXPONENTIAL_EACH shifted[i] = float_from_bits((float_to_bits(shifted[i]) << 23) + 0x3F800000u);
  EXPONENTIAL_EACH x[i] = fmaf(p[i], shifted[i], x[i] * 0.0f);
#undef EXPONENTIAL_EACH
}

/* 1 + x + x^2 / 2, what the published attention kernels take for exp(x): the Taylor polynomial of
 * order 2 without range reduction. At -0.1 it is 0.02 % off, at -1 36 %, and from there on it grows
 * again. Two roundings: 1 unit in the last place from the polynomial. */
SIMT_INLINE float exponential_taylor2(float x) { return fmaf(x, fmaf(x, 0.5f, 1.0f), 1.0f); }
