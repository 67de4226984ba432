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
/* All ones when the condition holds, else 0. */
SIMT_INLINE uint32_t float_mask(unsigned condition) { return simt_hide(0u - (uint32_t)(condition != 0)); }
/* 2^n for -126 <= n <= 127 */
SIMT_INLINE float float_power_of_two(int32_t n) { return float_from_bits((uint32_t)(n + 127) << 23); }
