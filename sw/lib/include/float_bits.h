/* SPDX-License-Identifier: Apache-2.0
 *
 * Floats as bit patterns, for code without branches. */
#pragma once

#include <stdint.h>

#include "simt.h"

SIMT_INLINE uint32_t float_to_bits(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
SIMT_INLINE float float_from_bits(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
/* Bits of the FP16 number next to x, ties to even, for 0 <= x < 65520. The scaling makes what is below
 * the smallest normal FP16 number a float below the smallest normal one, so that the same rounding of
 * the bits is right for both; there x is rounded to a multiple of 2^-37 before. */
SIMT_INLINE uint32_t float_to_half_bits(float x) {
  const uint32_t bits = float_to_bits(x * 0x1p-112f);
  return (bits + 0xFFFu + (bits >> 13 & 1)) >> 13;
}
/* The finite FP16 number in the upper half of `bits`; what the lower half holds does not matter. */
SIMT_INLINE float half_bits_to_float(uint32_t bits) {
  return float_from_bits((uint32_t)((int32_t)bits >> 3) & 0x8FFFE000u) * 0x1p112f;
}
/* All ones when the condition holds, else 0. */
SIMT_INLINE uint32_t float_mask(unsigned condition) { return simt_hide(0u - (uint32_t)(condition != 0)); }
/* All ones when the sign bit is set, else 0. */
SIMT_INLINE uint32_t float_sign_mask(float x) { return simt_hide(0u - (float_to_bits(x) >> 31)); }
/* a where the mask has ones, b elsewhere. */
SIMT_INLINE float float_select(uint32_t mask, float a, float b) {
  return float_from_bits((float_to_bits(a) & mask) | (float_to_bits(b) & ~mask));
}
/* 2^n for -126 <= n <= 127 */
SIMT_INLINE float float_power_of_two(int32_t n) { return float_from_bits((uint32_t)(n + 127) << 23); }
