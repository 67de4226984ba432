/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of narrow formats, as bits, from FP32, and the other way: the nearest, of two the even one; beyond the largest number, infinities
 * among them, the largest (ofp8 5.2.2, ptx9 cvt.satfinite). No branches, so lanes with different arguments may convert
 * them together. testbenches/unit/sw compares them with the model's conversions. */
#pragma once

#include <math.h>

#include "float_bits.h"

/* Of a number from 0 to the largest of a format with an exponent of less than 8 bits; all but `x` are constants. Next to
 * the power of two `grid` FP32 has the numbers of the format around x. The product has their fraction and exponent where the
 * code has them, also below the smallest normal number. */
SIMT_INLINE uint32_t float_magnitude_to_narrow_bits(float x, int fraction_bits, int bias) {
  const uint32_t dropped = 23u - (uint32_t)fraction_bits;
  const float power = fmaxf(float_from_bits(float_to_bits(x) & 0x7F800000u), float_power_of_two(1 - bias));
  const float grid = float_from_bits(float_to_bits(power) + (dropped << 23));
  const float rounded = (x + grid) - grid;
  return float_to_bits(rounded * float_power_of_two(bias - 127)) >> dropped;
}
/* Of any number. `sign`: the place of its bit. */
SIMT_INLINE uint32_t float_to_narrow_bits(float x, int fraction_bits, int bias, float largest, int sign,
                                          uint32_t nan) {
  const uint32_t bits = float_to_bits(x), is_nan = float_mask(x != x);
  const float bounded = fminf(float_from_bits(bits & 0x7FFFFFFFu), largest);
  const uint32_t code = float_magnitude_to_narrow_bits(bounded, fraction_bits, bias);
  return ((code | (bits >> 31 << sign)) & ~is_nan) | (nan & is_nan);
}
SIMT_INLINE uint32_t float_to_fp8_e4m3_bits(float x) {
  return float_to_narrow_bits(x, 3, 7, 448.0f, 7, 0x7Fu);
}
SIMT_INLINE uint32_t float_to_fp8_e5m2_bits(float x) {
  return float_to_narrow_bits(x, 2, 15, 57344.0f, 7, 0x7Eu);
}
SIMT_INLINE uint32_t float_to_fp16_bits(float x) {
  return float_to_narrow_bits(x, 10, 15, 65504.0f, 15, 0x7E00u);
}

SIMT_INLINE uint32_t float_to_bf16_bits(float x) {
  const uint32_t bits = float_to_bits(x), is_nan = float_mask(x != x);
  const uint32_t bounded = float_to_bits(fminf(float_from_bits(bits & 0x7FFFFFFFu), 0x1.FEp127f));
  const uint32_t code = (bounded + 0x7FFFu + (bounded >> 16 & 1u)) >> 16;
  return ((code | (bits >> 31 << 15)) & ~is_nan) | (0x7FC0u & is_nan);
}

/* The numbers of codes, infinities and NaN among them. */
SIMT_INLINE float fp16_bits_to_float(uint32_t code) {
  const uint32_t special = float_mask((code & 0x7C00u) == 0x7C00u);
  return float_from_bits(float_to_bits(half_bits_to_float(code << 16)) | (special & 0x7F800000u));
}
SIMT_INLINE float bf16_bits_to_float(uint32_t code) { return float_from_bits(code << 16); }

/* Integers; of NaN 0. Next to 1.5 * 2^23 FP32 has the integers. */
SIMT_INLINE uint32_t float_to_integer_bits(float x, float least, float most) {
  const float bounded = fmaxf(fminf(x, most), least);
  return float_to_bits(bounded + 12582912.0f) & 0xFFu & ~float_mask(x != x);
}
SIMT_INLINE uint32_t float_to_int8_bits(float x) { return float_to_integer_bits(x, -128.0f, 127.0f); }
SIMT_INLINE uint32_t float_to_uint8_bits(float x) { return float_to_integer_bits(x, 0.0f, 255.0f); }
