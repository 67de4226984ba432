// SPDX-License-Identifier: Apache-2.0
// No branches: special cases are selected with masks, see math.h.
#include <math.h>

#include <stdint.h>

#include "simt.h"

namespace {

uint32_t bits_of(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

float float_of(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

/// All ones when the condition holds.
uint32_t mask(bool condition) { return simt_hide(0u - static_cast<uint32_t>(condition)); }

float select(uint32_t mask, float a, float b) {
  return float_of((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

/// 2^n for -126 <= n <= 127
float power_of_two(int32_t n) { return float_of(static_cast<uint32_t>(n + 127) << 23); }

}  // namespace

extern "C" {

// exp(x) = 2^n * exp(r), r = x - n ln 2 in two parts, |r| <= ln 2 / 2; polynomial of degree 7. The
// power is applied in two halves, so that results below 2^-126 are rounded once, by the last
// multiplication.
float expf(float x) {
  const float bounded = fminf(fmaxf(x, -104.0f), 89.0f);
  const float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float shifted = fmaf(bounded, 1.44269504f, magic);
  const int32_t n = static_cast<int32_t>(bits_of(shifted) - bits_of(magic));
  const float whole = shifted - magic;
  const float exact = fmaf(whole, -0.693145752f, bounded);  // 0x1.62e4p-1: few bits, no rounding
  const float r = fmaf(whole, -1.42860677e-6f, exact);
  const float lost = fmaf(whole, -1.42860677e-6f, exact - r);  // what rounding r dropped
  float p = 1.9841270e-4f;                                     // 1/7!
  p = fmaf(p, r, 1.3888889e-3f);
  p = fmaf(p, r, 8.3333333e-3f);
  p = fmaf(p, r, 4.1666668e-2f);
  p = fmaf(p, r, 1.6666667e-1f);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p, r * r, lost) + r;
  const int32_t half = n >> 1;
  const float result = (p + 1.0f) * power_of_two(half) * power_of_two(n - half);
  return float_of(bits_of(result) | (mask(x != x) & 0x7FC00000u));
}

// log(x) = e ln 2 + log(m), m in [sqrt(1/2), sqrt(2)): with s = f / (2 + f), f = m - 1,
// log(m) = f - s (f - s^2 R(s^2)) arranged so that the small terms are added last.
float logf(float x) {
  const uint32_t tiny = mask(x < 1.17549435e-38f);
  const float normal = select(tiny, x * 16777216.0f, x);
  const uint32_t bits = bits_of(normal);
  const uint32_t above = bits - 0x3F3504F3u;  // sqrt(1/2): e is the exponent relative to it
  const int32_t e = (static_cast<int32_t>(above) >> 23) - static_cast<int32_t>(tiny & 24u);
  const float f = float_of((above & 0x007FFFFFu) + 0x3F3504F3u) - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float odd = z * fmaf(z * z, 0.28498787f, 0.66666663f);
  const float even = z * z * fmaf(z * z, 0.24279079f, 0.40000972f);
  const float half_square = 0.5f * f * f;
  const float whole = static_cast<float>(e);
  float result = fmaf(s, half_square + odd + even, whole * 9.0580006e-6f) - half_square + f;
  result = fmaf(whole, 0.69313812f, result);
  result = select(mask(x == 0.0f), -INFINITY, result);
  result = select(mask(x == INFINITY), x, result);
  return select(mask((x < 0.0f) | (x != x)), NAN, result);
}

}  // extern "C"
