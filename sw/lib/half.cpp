// SPDX-License-Identifier: Apache-2.0
// What compilers call to convert _Float16 and __bf16, for which the machine has no instructions. No branches, see
// math.h.
//
// A number of 16 bits is in the lower half of a register for floats; above it is any value. Results are also in a0,
// where clang 19 looks for those that were double.
#include <stdint.h>

#include "float_bits.h"

namespace {

constexpr uint32_t kSign = 0x80000000u, kInfinity = 0x7F800000u, kQuiet = 0x00400000u;

/// Rounds a word to its upper `32 - drop` bits, to the nearest, ties to even.
uint32_t rounded(uint32_t bits, unsigned drop) {
  return (bits + (1u << (drop - 1)) - 1 + (bits >> drop & 1)) >> drop;
}
uint32_t choose(uint32_t mask, uint32_t a, uint32_t b) { return (a & mask) | (b & ~mask); }
uint32_t mask_of(bool condition) { return float_mask(condition); }

/// The double, cut to the bits of a float; the last bit is set where something was cut off, so that rounding the float
/// to 16 bits gives what rounding the double does.
uint32_t to_odd(double number) {
  uint64_t bits;
  __builtin_memcpy(&bits, &number, 8);
  const uint32_t high = static_cast<uint32_t>(bits >> 32), low = static_cast<uint32_t>(bits);
  const uint32_t exponent = high >> 20 & 0x7FF, least = 897;  // least: that of the smallest normal float
  const uint32_t fraction = (high & 0xFFFFF) << 3 | low >> 29 | (mask_of((low & 0x1FFFFFFF) != 0) & 1);
  const uint32_t shift = choose(mask_of(least - exponent < 25), least - exponent, 25);
  const uint32_t whole = 1u << 23 | fraction;
  const uint32_t subnormal = whole >> shift | (mask_of((whole & ((1u << shift) - 1)) != 0) & 1);
  uint32_t result = choose(mask_of(exponent < least), subnormal, (exponent - least + 1) << 23 | fraction);
  result = choose(mask_of(exponent >= least + 254), kInfinity, result);
  const uint32_t is_nan = mask_of((exponent == 0x7FF) & (((high & 0xFFFFF) | low) != 0));
  return (high & kSign) | choose(is_nan, kInfinity | kQuiet | fraction, result);
}

uint32_t half_of(uint32_t bits) {
  const uint32_t sign = bits & kSign, size = bits ^ sign;
  const uint32_t normal = rounded(size - (112u << 23), 13);
  // Below 2^-14: the sum with 0.5 has what remains of the number in its last bits, rounded.
  const uint32_t small = float_to_bits(float_from_bits(size) + 0.5f) - float_to_bits(0.5f);
  uint32_t half = choose(mask_of(size < 113u << 23), small, normal);
  half = choose(mask_of(size >= 0x477FF000u), 0x7C00u, half);  // 65520 and above
  half = choose(mask_of(size > kInfinity), 0x7E00u | (size >> 13 & 0x3FF), half);
  return sign >> 16 | half;
}
uint32_t bfloat_of(uint32_t bits) {
  const uint32_t is_nan = mask_of((bits & ~kSign) > kInfinity);
  return choose(is_nan, (bits | kQuiet) >> 16, rounded(bits, 16));
}

/// What a function returns, in fa0 and in a0.
SIMT_INLINE float returned(uint32_t bits) {
  register uint32_t word __asm__("a0") = 0xFFFF0000u | bits;
  float number;
  __asm__ volatile("fmv.w.x %0, %1" : "=f"(number) : "r"(word));
  return number;
}

}  // namespace

extern "C" {

float __extendhfsf2(float half) {
  const uint32_t bits = float_to_bits(half), size = bits & 0x7FFF;
  // Exponents as they are, less 112: the product puts that right, also for subnormal numbers.
  const uint32_t number = float_to_bits(float_from_bits(size << 13) * 5.192296858534828e33f);
  const uint32_t large = kInfinity | size << 13;  // infinity and NaN
  const uint32_t quiet = mask_of(size > 0x7C00) & kQuiet;
  return float_from_bits((bits & 0x8000) << 16 | choose(mask_of(size >= 0x7C00), large | quiet, number));
}
float __truncsfhf2(float number) { return returned(half_of(float_to_bits(number))); }
float __truncdfhf2(double number) { return returned(half_of(to_odd(number))); }

float __extendbfsf2(float bfloat) {
  const uint32_t bits = float_to_bits(bfloat) << 16;
  return float_from_bits(bits | (mask_of((bits & ~kSign) > kInfinity) & kQuiet));
}
float __truncsfbf2(float number) { return returned(bfloat_of(float_to_bits(number))); }
float __truncdfbf2(double number) { return returned(bfloat_of(to_odd(number))); }

}  // extern "C"
