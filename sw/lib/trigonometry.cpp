// SPDX-License-Identifier: Apache-2.0
// Angles, in single precision. Lanes with different arguments may call them together: the only branches are those that
// all active lanes take or do not. Polynomials are minimax, of the degree named by their length.
#include <math.h>

#include <stdint.h>

#include "float_bits.h"

namespace {

constexpr float kHalfPi = 1.57079637f, kHalfPiRest = -4.37113883e-8f;

/// x - quarters * pi / 2, in [-pi/4, pi/4].
struct Angle {
  float rest;
  uint32_t quarters;
};

/// Up to 65536: pi / 2 in three parts, the product with each of which is exact in the fused operation.
Angle reduce_small(float x) {
  const float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float shifted = fmaf(x, 0.636619747f, magic);
  const float k = shifted - magic;
  float rest = fmaf(k, -kHalfPi, x);
  rest = fmaf(k, -kHalfPiRest, rest);
  rest = fmaf(k, 1.71512451e-15f, rest);
  return {rest, float_to_bits(shifted)};
}

/// Any number: the mantissa times those bits of 2 / pi that decide about the last two bits before the point and 62
/// behind it (Payne and Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter 18, 1983).
Angle reduce_any(float x) {
  static constexpr uint32_t kQuarterOfIt[] = {0,           0x28BE60DBu, 0x9391054Au, 0x7F09D5F4u,
                                              0x7D4D3770u, 0x36D8A566u, 0x4F10E410u, 0x7F9458EAu};
  const uint32_t bits = float_to_bits(x), mantissa = bits << 8 | 0x80000000u;
  const uint32_t exponent =
      ((bits >> 23 & 0xFF) - 126) & (0u - (bits >> 30 & 1));  // small numbers stay in the table
  const uint32_t word = exponent >> 5, shift = exponent & 31;
  const auto at = [&](uint32_t i) {
    return kQuarterOfIt[word + i] << shift | kQuarterOfIt[word + i + 1] >> 1 >> (31 - shift);
  };
  const uint64_t low = static_cast<uint64_t>(mantissa) * at(2);
  const uint64_t middle = static_cast<uint64_t>(mantissa) * at(1) + (low >> 32);
  const uint64_t product = (static_cast<uint64_t>(mantissa * at(0)) << 32) + middle;
  const uint32_t quarters = static_cast<uint32_t>((product + (uint64_t{1} << 61)) >> 62);
  const auto rest = static_cast<int64_t>(product - (static_cast<uint64_t>(quarters) << 62));
  // In three parts that floats hold exactly; the sum of the first two and what it lost.
  const float high = static_cast<float>(static_cast<int32_t>(rest >> 42)) * 0x1p-20f;
  const float next = static_cast<float>(static_cast<int32_t>(rest >> 21 & 0x1FFFFF)) * 0x1p-41f;
  const float last = static_cast<float>(static_cast<int32_t>(rest & 0x1FFFFF)) * 0x1p-62f;
  const float sum = high + next, lost = next - (sum - high) + last;
  const float angle = fmaf(sum, kHalfPi, fmaf(sum, kHalfPiRest, lost * kHalfPi));
  const uint32_t negative = 0u - (bits >> 31);
  return {float_from_bits(float_to_bits(angle) ^ (bits & 0x80000000u)), (quarters ^ negative) - negative};
}

Angle reduce(float x) {
  Angle angle = reduce_small(x);
  const uint32_t is_large = (float_to_bits(x) & 0x7FFFFFFFu) > 0x47800000u;  // 65536, infinity and NaN, too
  if (simt_any(is_large)) {
    const Angle any = reduce_any(x);
    const uint32_t mask = float_mask(is_large);
    angle.rest = float_select(mask, fmaf(x, 0.0f, any.rest), angle.rest);  // infinity becomes NaN
    angle.quarters = (any.quarters & mask) | (angle.quarters & ~mask);
  }
  return angle;
}

float sine(float r, float s) {
  float p = 2.71756812e-6f;
  p = fmaf(p, s, -1.98392576e-4f);
  p = fmaf(p, s, 8.33332911e-3f);
  p = fmaf(p, s, -0.166666672f);
  return fmaf(p * s, r, r);
}
float cosine(float s) {
  float p = -2.7203339e-7f;
  p = fmaf(p, s, 2.47994376e-5f);
  p = fmaf(p, s, -1.38888834e-3f);
  p = fmaf(p, s, 4.16666679e-2f);
  const float half = 0.5f * s, one = 1.0f - half;
  return fmaf(p * s, s, 1.0f - one - half) + one;
}
float of_quarter(const Angle& angle, uint32_t quarters) {
  const float s = angle.rest * angle.rest;
  const float x = float_select(float_mask(quarters & 1), cosine(s), sine(angle.rest, s));
  return float_from_bits(float_to_bits(x) ^ (quarters & 2) << 30);
}

/// For 0 <= x <= 1.
float arc_tangent(float x) {
  const float s = x * x;
  float p = 2.97459611e-3f;
  p = fmaf(p, s, -1.65812057e-2f);
  p = fmaf(p, s, 4.35535721e-2f);
  p = fmaf(p, s, -7.58058056e-2f);
  p = fmaf(p, s, 0.106789418f);
  p = fmaf(p, s, -0.142142087f);
  p = fmaf(p, s, 0.199941367f);
  p = fmaf(p, s, -0.333331674f);
  return fmaf(p * s, x, x);
}
/// arcsine of sqrt(s), s <= 1/4.
float arc_sine(float x, float s) {
  float p = 4.22185697e-2f;
  p = fmaf(p, s, 2.41475999e-2f);
  p = fmaf(p, s, 4.54770997e-2f);
  p = fmaf(p, s, 7.49524161e-2f);
  p = fmaf(p, s, 0.166667536f);
  return fmaf(p * s, x, x);
}

}  // namespace

extern "C" {

float sinf(float x) {
  const Angle angle = reduce(x);
  return float_select(float_mask(x == 0.0f), x, of_quarter(angle, angle.quarters));
}
float cosf(float x) {
  const Angle angle = reduce(x);
  return of_quarter(angle, angle.quarters + 1);
}
float tanf(float x) {
  const Angle angle = reduce(x);
  const float r = angle.rest, s = r * r;
  float p = 9.67547577e-3f;
  p = fmaf(p, s, 2.61878385e-3f);
  p = fmaf(p, s, 2.47509014e-2f);
  p = fmaf(p, s, 5.33185191e-2f);
  p = fmaf(p, s, 0.133399636f);
  p = fmaf(p, s, 0.333331108f);
  p = p * s * r;
  const float tangent = p + r, lost = r - tangent + p;
  // -1 / (tangent + lost), with what the quotient has lost.
  const float inverse = -1.0f / tangent, error = fmaf(inverse, tangent, 1.0f);
  const float cotangent = fmaf(fmaf(inverse, lost, error), inverse, inverse);
  const uint32_t is_odd = float_mask(angle.quarters & 1);
  const float result = float_select(is_odd & float_mask(tangent != 0.0f), cotangent, tangent);
  return float_select(float_mask(x == 0.0f), x, result);
}

float atanf(float x) {
  const float size = fabsf(x);
  const uint32_t is_steep = float_mask(size > 1.0f);
  const float part = arc_tangent(float_select(is_steep, 1.0f / size, size));
  const float steep = kHalfPi - (part - kHalfPiRest);
  return copysignf(float_select(is_steep, steep, part), x);
}
float atan2f(float y, float x) {
  const float up = fabsf(y), along = fabsf(x), more = fmaxf(up, along), less = fminf(up, along);
  // Both infinite: 1; both 0: 0.
  const uint32_t are_equal = float_mask((less == more) & (more == INFINITY));
  const float quotient =
      float_select(are_equal, 1.0f, less / float_select(float_mask(more == 0.0f), 1.0f, more));
  float angle = arc_tangent(quotient);
  angle = float_select(float_mask(up > along), kHalfPi - (angle - kHalfPiRest), angle);
  const uint32_t is_left = float_sign_mask(x);
  angle = float_select(is_left, 2.0f * kHalfPi - (angle - 2.0f * kHalfPiRest), angle);
  return float_select(float_mask((x != x) | (y != y)), NAN, copysignf(angle, y));
}
float asinf(float x) {
  const float size = fabsf(x);
  const uint32_t is_large = float_mask(size > 0.5f);
  const float s = float_select(is_large, fmaf(size, -0.5f, 0.5f), x * x);
  const float root = float_select(is_large, sqrtf(s), size);
  const float part = arc_sine(root, s);
  return copysignf(float_select(is_large, kHalfPi - (2.0f * part - kHalfPiRest), part), x);
}
float acosf(float x) {
  const float size = fabsf(x);
  const uint32_t is_large = float_mask(size > 0.5f), is_negative = float_sign_mask(x);
  const float s = float_select(is_large, fmaf(size, -0.5f, 0.5f), x * x);
  const float root = float_select(is_large, sqrtf(s), x);
  const float part = arc_sine(root, s);
  const float near_1 =
      float_select(is_negative, 2.0f * kHalfPi - (2.0f * part - 2.0f * kHalfPiRest), 2.0f * part);
  return float_select(is_large, near_1, kHalfPi - (part - kHalfPiRest));
}

}  // extern "C"
