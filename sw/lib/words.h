// SPDX-License-Identifier: Apache-2.0
// Numbers of 64 bits as the machine has them, in two words: what compilers make a branch of (comparison, choice, shift
// by a variable), without one. Lanes with different values may be in it together.
#pragma once

#include <stdint.h>

#include "include/simt.h"

namespace words {

inline uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
inline uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
inline uint64_t join(uint32_t high, uint32_t low) { return static_cast<uint64_t>(high) << 32 | low; }

/// All ones when the condition holds, else 0.
inline uint32_t mask(unsigned condition) { return simt_hide(0u - (condition != 0)); }
inline uint64_t wide(uint32_t mask) { return join(mask, mask); }

/// a where the mask has ones, b elsewhere.
inline uint32_t choose(uint32_t mask, uint32_t a, uint32_t b) { return b ^ ((a ^ b) & mask); }
inline uint64_t choose(uint32_t mask, uint64_t a, uint64_t b) { return b ^ ((a ^ b) & wide(mask)); }
inline int32_t choose(uint32_t mask, int32_t a, int32_t b) {
  return static_cast<int32_t>(choose(mask, static_cast<uint32_t>(a), static_cast<uint32_t>(b)));
}
/// ~x and -x where the mask has ones.
inline uint64_t flip(uint32_t mask, uint64_t x) { return x ^ wide(mask); }
inline uint32_t flip(uint32_t mask, uint32_t x) { return x ^ mask; }
inline uint64_t negate(uint32_t mask, uint64_t x) { return (x ^ wide(mask)) - wide(mask); }
inline uint32_t negate(uint32_t mask, uint32_t x) { return (x ^ mask) - mask; }

inline unsigned is_zero(uint64_t x) { return (high(x) | low(x)) == 0; }
inline unsigned is_zero(uint32_t x) { return x == 0; }
inline unsigned less(uint32_t a, uint32_t b) { return a < b; }
inline unsigned less(uint64_t a, uint64_t b) {
  return (high(a) < high(b)) | ((high(a) == high(b)) & static_cast<unsigned>(low(a) < low(b)));
}
inline unsigned less(int64_t a, int64_t b) {
  const uint64_t sign = 1ull << 63;
  return less(static_cast<uint64_t>(a) ^ sign, static_cast<uint64_t>(b) ^ sign);
}

/// Shifts by n < 64.
inline uint64_t shift_left(uint64_t x, uint32_t n) {
  const uint32_t near = n & 31, far = simt_hide(0u - (n >> 5 & 1));
  const uint32_t moved = low(x) << near, both = high(x) << near | low(x) >> 1 >> (near ^ 31);
  return join(choose(far, moved, both), moved & ~far);
}
/// What comes in from the left: `sign` in all places.
inline uint64_t shift_right(uint64_t x, uint32_t n, uint32_t sign = 0) {
  const uint32_t near = n & 31, far = simt_hide(0u - (n >> 5 & 1));
  const uint32_t in = sign << 1 << (near ^ 31);
  const uint32_t moved = high(x) >> near | in, both = low(x) >> near | high(x) << 1 << (near ^ 31);
  return join(choose(far, sign, moved), choose(far, moved, both));
}
/// The last bit is set when a bit has been shifted out.
inline uint64_t shift_right_sticky(uint64_t x, uint32_t n) {
  const uint64_t result = shift_right(x, n);
  const uint32_t near = n & 31, far = simt_hide(0u - (n >> 5 & 1));
  const uint32_t lost = low(x) << 1 << (near ^ 31) | (far & (low(x) | high(x) << 1 << (near ^ 31)));
  return result | static_cast<unsigned>(lost != 0);
}

/// Of x != 0; more than 63 for 0.
inline uint32_t leading_zeros(uint32_t x) {
#ifdef __riscv
  uint32_t number;  // its exponent as a float, rounded towards zero
  float converted;
  __asm__("fcvt.s.wu %0, %1, rtz" : "=f"(converted) : "r"(x));
  __builtin_memcpy(&number, &converted, sizeof number);
  return 158 - (number >> 23);
#else
  return x == 0 ? 158 : static_cast<uint32_t>(__builtin_clz(x));
#endif
}
inline uint32_t leading_zeros(uint64_t x) {
  const uint32_t small = mask(high(x) == 0);
  return leading_zeros(choose(small, low(x), high(x))) + (small & 32);
}

/// The upper half of a product of words.
inline uint32_t multiply_high(uint32_t a, uint32_t b) { return high(static_cast<uint64_t>(a) * b); }
inline uint64_t product(uint32_t a, uint32_t b) { return static_cast<uint64_t>(a) * b; }

/// a * b / 2^64, up to 3 less.
inline uint64_t multiply_high_about(uint64_t a, uint64_t b) {
  const uint64_t cross =
      static_cast<uint64_t>(multiply_high(high(a), low(b))) + multiply_high(low(a), high(b));
  return product(high(a), high(b)) + cross;
}

/// 2^127 / y for y >= 2^63, as 64 bits: less than that by at most 33 (testbenches/unit/sw/runtime_test.cpp).
///
/// Newton: where v = (1 - e) / y, v (1 + e) = (1 - e^2) / y, and v (1 + e + e^2) = (1 - e^3) / y.
inline uint64_t reciprocal(uint64_t y) {
  const uint32_t top = high(y);
  uint32_t v = 0xFFFFFFFFu / ((top >> 16) + 1) << 15;  // e < 2^-14
  v = multiply_high(v, 0xFFFFFFFEu - multiply_high(top, v)) << 1;  // e < 2^-28
  const uint64_t about = product(top, v) + multiply_high(low(y), v);  // 2^63 (1 - e)
  uint32_t e = low(((1ull << 63) - 1 - about) >> 3);  // times 2^60
  e += multiply_high(e, e) >> 28;
  return join(v, 0) + (product(v, e) >> 28);
}

}  // namespace words
