// SPDX-License-Identifier: Apache-2.0
// What compilers call for double, and for float where the machine has no instruction. Lanes with different numbers may
// call these together. float_to_double.S is the one that is missing here.
#include <stdint.h>

#include "float_bits.h"
#include "soft_float.h"

namespace {

using soft_float::bits_of;
using soft_float::double_of;

float select(uint32_t mask, float a, float b) { return float_select(mask, a, b); }
double select(uint32_t mask, double a, double b) {
  return double_of(words::choose(mask, bits_of(a), bits_of(b)));
}

/// By squares, all lanes as often as the one with the largest exponent.
template <class Number>
Number power(Number x, int32_t n) {
  const uint32_t negative = words::mask(n < 0);
  uint32_t left = words::negate(negative, static_cast<uint32_t>(n));
  Number result = 1;
  for (;; x *= x) {
    result = select(words::mask(left & 1), result * x, result);
    left >>= 1;
    if (!simt_any(left)) break;
  }
  return select(negative, 1 / result, result);
}

}  // namespace

using soft_float::Double;
using soft_float::Float;

extern "C" {

double __adddf3(double a, double b) { return double_of(soft_float::add(bits_of(a), bits_of(b))); }
double __subdf3(double a, double b) {
  return double_of(soft_float::add(bits_of(a), bits_of(b) ^ 1ull << 63));
}
double __muldf3(double a, double b) { return double_of(soft_float::multiply(bits_of(a), bits_of(b))); }
double __divdf3(double a, double b) { return double_of(soft_float::divide(bits_of(a), bits_of(b))); }
double __negdf2(double a) { return double_of(bits_of(a) ^ 1ull << 63); }

// Compared with 0 by the caller as a with b; false where one is not a number.
int32_t __eqdf2(double a, double b) { return soft_float::compare(bits_of(a), bits_of(b), 1); }
int32_t __nedf2(double a, double b) { return soft_float::compare(bits_of(a), bits_of(b), 1); }
int32_t __ltdf2(double a, double b) { return soft_float::compare(bits_of(a), bits_of(b), 1); }
int32_t __ledf2(double a, double b) { return soft_float::compare(bits_of(a), bits_of(b), 1); }
int32_t __gtdf2(double a, double b) { return soft_float::compare(bits_of(a), bits_of(b), -1); }
int32_t __gedf2(double a, double b) { return soft_float::compare(bits_of(a), bits_of(b), -1); }
int32_t __unorddf2(double a, double b) { return soft_float::unordered(bits_of(a), bits_of(b)); }

float __truncdfsf2(double a) { return float_from_bits(soft_float::to_float(bits_of(a))); }

double __floatsidf(int32_t a) { return double_of(soft_float::from_signed<Double>(a)); }
double __floatunsidf(uint32_t a) { return double_of(soft_float::from_integer<Double>(0, a)); }
double __floatdidf(int64_t a) { return double_of(soft_float::from_signed<Double>(a)); }
double __floatundidf(uint64_t a) { return double_of(soft_float::from_integer<Double>(0, a)); }
float __floatdisf(int64_t a) { return float_from_bits(soft_float::from_signed<Float>(a)); }
float __floatundisf(uint64_t a) { return float_from_bits(soft_float::from_integer<Float>(0, a)); }

// NOLINTBEGIN(bugprone-reserved-identifier): names that compilers call
#define TO_INTEGER(name, From, type, bits, Signed, Unsigned, is_signed)                     \
  Signed name(type a) {                                                                     \
    return static_cast<Signed>(soft_float::to_integer<From, Unsigned, is_signed>(bits(a))); \
  }
TO_INTEGER(__fixdfsi, Double, double, bits_of, int32_t, uint32_t, true)
TO_INTEGER(__fixunsdfsi, Double, double, bits_of, uint32_t, uint32_t, false)
TO_INTEGER(__fixdfdi, Double, double, bits_of, int64_t, uint64_t, true)
TO_INTEGER(__fixunsdfdi, Double, double, bits_of, uint64_t, uint64_t, false)
TO_INTEGER(__fixsfdi, Float, float, float_to_bits, int64_t, uint64_t, true)
TO_INTEGER(__fixunssfdi, Float, float, float_to_bits, uint64_t, uint64_t, false)
#undef TO_INTEGER
// NOLINTEND(bugprone-reserved-identifier)

float __powisf2(float x, int32_t n) { return power(x, n); }
double __powidf2(double x, int32_t n) { return power(x, n); }

}  // extern "C"
