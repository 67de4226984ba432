// SPDX-License-Identifier: Apache-2.0
// What compilers call for integers: division of 64 bits, and counts of bits, for which the machine has no instructions.
// Lanes with different numbers may call these together.
#include <stdint.h>

#include "words.h"

namespace {

struct Division {
  uint64_t quotient, rest;
};

inline Division divide(uint64_t n, uint64_t d) {
  const uint32_t zeros = words::leading_zeros(d) & 63, right = zeros ^ 63;
  const uint64_t estimate = words::multiply_high_about(n, words::reciprocal(words::shift_left(d, zeros)));
  // Before the shift it is too small by less than 64: for larger divisors, then by one at most; for smaller ones the
  // rest fits in a word.
  uint64_t quotient = words::shift_right(estimate, right), rest = n - quotient * d;
  const uint32_t one_more = words::mask(words::less(rest, d) ^ 1);
  quotient += one_more & 1;
  rest -= d & words::wide(one_more);
  const unsigned large = words::high(d) != 0;
  const uint32_t more = words::low(rest) / (words::low(d) | large) & words::mask(!large);
  quotient += more;
  rest -= words::product(more, words::low(d));
  return {quotient, rest};
}

uint32_t sign_mask(int64_t x) { return simt_hide(0u - (words::high(static_cast<uint64_t>(x)) >> 31)); }
Division divide_sizes(int64_t n, int64_t d) {
  return divide(words::negate(sign_mask(n), static_cast<uint64_t>(n)),
                words::negate(sign_mask(d), static_cast<uint64_t>(d)));
}
int64_t with_sign(uint32_t mask, uint64_t size) { return static_cast<int64_t>(words::negate(mask, size)); }

uint32_t count_ones(uint32_t x) {
  x = simt_hide(x);  // of what it counts here a compiler may make another count, with a branch
  x -= x >> 1 & 0x55555555;
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  return ((x + (x >> 4)) & 0x0F0F0F0F) * 0x01010101 >> 24;
}
uint32_t count_ones(uint64_t x) { return count_ones(words::high(x)) + count_ones(words::low(x)); }
uint32_t turned_round(uint32_t x) {
  x = (x & 0x00FF00FF) << 8 | (x >> 8 & 0x00FF00FF);
  return x << 16 | x >> 16;
}
template <class Unsigned>
uint32_t trailing_zeros(Unsigned x) {  // of 0: all
  return count_ones(static_cast<Unsigned>(~x & (x - 1)));
}
template <class Unsigned>
int32_t first_one(Unsigned x) {  // from 1; 0: there is none
  return static_cast<int32_t>((trailing_zeros(x) + 1) & words::mask(!words::is_zero(x)));
}
template <class Unsigned>
int32_t equal_to_sign(Unsigned x) {  // bits behind the sign that are the same
  constexpr unsigned kBits = 8 * sizeof(Unsigned);
  const uint32_t sign = simt_hide(0u - static_cast<uint32_t>(x >> (kBits - 1)));
  return static_cast<int32_t>(words::leading_zeros(static_cast<Unsigned>(words::flip(sign, x) << 1 | 1)));
}

}  // namespace

extern "C" {

uint64_t __udivdi3(uint64_t n, uint64_t d) { return divide(n, d).quotient; }
uint64_t __umoddi3(uint64_t n, uint64_t d) { return divide(n, d).rest; }
uint64_t __udivmoddi4(uint64_t n, uint64_t d, uint64_t* rest) {
  const Division result = divide(n, d);
  *rest = result.rest;
  return result.quotient;
}
int64_t __divdi3(int64_t n, int64_t d) {
  return with_sign(sign_mask(n) ^ sign_mask(d), divide_sizes(n, d).quotient);
}
int64_t __moddi3(int64_t n, int64_t d) { return with_sign(sign_mask(n), divide_sizes(n, d).rest); }
int64_t __divmoddi4(int64_t n, int64_t d, int64_t* rest) {
  const Division result = divide_sizes(n, d);
  *rest = with_sign(sign_mask(n), result.rest);
  return with_sign(sign_mask(n) ^ sign_mask(d), result.quotient);
}

uint64_t __muldi3(uint64_t a, uint64_t b) {
  return words::product(words::low(a), words::low(b)) +
         words::join(words::low(a) * words::high(b) + words::high(a) * words::low(b), 0);
}
uint64_t __ashldi3(uint64_t x, int32_t n) { return words::shift_left(x, static_cast<uint32_t>(n)); }
uint64_t __lshrdi3(uint64_t x, int32_t n) { return words::shift_right(x, static_cast<uint32_t>(n)); }
int64_t __ashrdi3(int64_t x, int32_t n) {
  return static_cast<int64_t>(
      words::shift_right(static_cast<uint64_t>(x), static_cast<uint32_t>(n), sign_mask(x)));
}
int64_t __negdi2(int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }
// 0, 1, 2: a is less, equal, greater.
int32_t __ucmpdi2(uint64_t a, uint64_t b) {
  return static_cast<int32_t>(1 + words::less(b, a) - words::less(a, b));
}
int32_t __cmpdi2(int64_t a, int64_t b) {
  return static_cast<int32_t>(1 + words::less(b, a) - words::less(a, b));
}

int32_t __clzsi2(uint32_t x) { return static_cast<int32_t>(words::leading_zeros(x)); }
int32_t __clzdi2(uint64_t x) { return static_cast<int32_t>(words::leading_zeros(x)); }
int32_t __ctzsi2(uint32_t x) { return static_cast<int32_t>(trailing_zeros(x)); }
int32_t __ctzdi2(uint64_t x) { return static_cast<int32_t>(trailing_zeros(x)); }
int32_t __ffssi2(uint32_t x) { return first_one(x); }
int32_t __ffsdi2(uint64_t x) { return first_one(x); }
int32_t __clrsbsi2(uint32_t x) { return equal_to_sign(x); }
int32_t __clrsbdi2(uint64_t x) { return equal_to_sign(x); }
int32_t __popcountsi2(uint32_t x) { return static_cast<int32_t>(count_ones(x)); }
int32_t __popcountdi2(uint64_t x) { return static_cast<int32_t>(count_ones(x)); }
int32_t __paritysi2(uint32_t x) { return static_cast<int32_t>(count_ones(x) & 1); }
int32_t __paritydi2(uint64_t x) {
  return static_cast<int32_t>(count_ones(words::high(x) ^ words::low(x)) & 1);
}
uint32_t __bswapsi2(uint32_t x) { return turned_round(x); }
uint64_t __bswapdi2(uint64_t x) {
  return words::join(turned_round(words::low(x)), turned_round(words::high(x)));
}

}  // extern "C"
