// SPDX-License-Identifier: Apache-2.0
// Functions of one float that sw/lib has (math.h): at most 2.5 ulp, without branches. Each is within what OpenCL allows
// (table "ULP values for single precision built-in math functions").
#include "machine.h"

#define VECTORS(function, name, width)                                            \
  OVERLOAD PURE float##width name(float##width x) {                               \
    float##width result;                                                          \
    for (int i = 0; i < width; ++i) result[i] = function(x[i]);                   \
    return result;                                                                \
  }
#define VECTORS_2(function, name, width)                                          \
  OVERLOAD PURE float##width name(float##width x, float##width y) {               \
    float##width result;                                                          \
    for (int i = 0; i < width; ++i) result[i] = function(x[i], y[i]);             \
    return result;                                                                \
  }
#define ALL_WIDTHS(macro, function, name) \
  macro(function, name, 2) macro(function, name, 3) macro(function, name, 4) macro(function, name, 8) macro(function, name, 16)

#define AS(function, name)                                       \
  OVERLOAD PURE float name(float x) { return function(x); }      \
  ALL_WIDTHS(VECTORS, function, name)
#define AS_2(function, name)                                             \
  OVERLOAD PURE float name(float x, float y) { return function(x, y); }  \
  ALL_WIDTHS(VECTORS_2, function, name)

#define MATH(name)        \
  PURE float name##f(float x); \
  AS(name##f, name)
#define MATH_2(name)                    \
  PURE float name##f(float x, float y); \
  AS_2(name##f, name)

MATH(exp) MATH(exp2) MATH(expm1) MATH(log) MATH(log2) MATH(log10) MATH(log1p)
MATH(cbrt) MATH(sin) MATH(cos) MATH(tan) MATH(asin) MATH(acos) MATH(atan)
MATH(sinh) MATH(cosh) MATH(tanh) MATH(erf)
MATH_2(pow) MATH_2(atan2) MATH_2(hypot)

static inline PURE float square_root(float x) {
  float result;
  __asm__("fsqrt.s %0, %1" : "=f"(result) : "f"(x));
  return result;
}
static inline PURE float reciprocal(float x) { return 1.0f / x; }
static inline PURE float reciprocal_root(float x) { return 1.0f / square_root(x); }
static inline PURE float exponential_10(float x) { return powf(10.0f, x); }
static inline PURE float quotient(float x, float y) { return x / y; }
AS(square_root, sqrt) AS(reciprocal_root, rsqrt)

// Those of less precision are the same.
#define FAST(kind)                                                                                      \
  AS(expf, kind##_exp) AS(exp2f, kind##_exp2) AS(exponential_10, kind##_exp10) AS(logf, kind##_log)     \
  AS(log2f, kind##_log2) AS(log10f, kind##_log10) AS(sinf, kind##_sin) AS(cosf, kind##_cos)             \
  AS(tanf, kind##_tan) AS(square_root, kind##_sqrt) AS(reciprocal_root, kind##_rsqrt)                   \
  AS(reciprocal, kind##_recip) AS_2(powf, kind##_powr) AS_2(quotient, kind##_divide)
FAST(native)
FAST(half)

// libclc has this one for single edges of float only.
#define SMOOTHSTEP(width)                                                                     \
  OVERLOAD PURE double##width smoothstep(double##width low, double##width high, double##width x); \
  OVERLOAD PURE double##width smoothstep(double low, double high, double##width x) {          \
    return smoothstep((double##width)(low), (double##width)(high), x);                        \
  }
SMOOTHSTEP(2) SMOOTHSTEP(3) SMOOTHSTEP(4) SMOOTHSTEP(8) SMOOTHSTEP(16)

OVERLOAD PURE int min(int a, int b);
OVERLOAD PURE int max(int a, int b);

// libclc's takes infinities and what is not a number for numbers. Three steps reach all exponents; only the last one rounds.
static inline PURE double power_of_2(int n) { return as_double((long)(1023 + n) << 52); }
OVERLOAD PURE double ldexp(double x, int n) {
  const bool is_large = n > 1023, is_small = n < -969;
  const double step = is_large ? 0x1p1023 : is_small ? 0x1p-969 : 1.0;
  const int less = is_large ? 1023 : is_small ? -969 : 0;
  n = min(max(n, -4000), 4000) - less;
  const bool is_larger = n > 1023, is_smaller = n < -969;
  const double second = is_larger ? 0x1p1023 : is_smaller ? 0x1p-969 : 1.0;
  n -= is_larger ? 1023 : is_smaller ? -969 : 0;
  return x * step * second * power_of_2(min(max(n, -1022), 1023));
}
#define LDEXP(width)                                                                \
  OVERLOAD PURE double##width ldexp(double##width x, int##width n) {                \
    double##width result;                                                           \
    for (int i = 0; i < width; ++i) result[i] = ldexp(x[i], n[i]);                  \
    return result;                                                                  \
  }                                                                                 \
  OVERLOAD PURE double##width ldexp(double##width x, int n) { return ldexp(x, (int##width)(n)); }
LDEXP(2) LDEXP(3) LDEXP(4) LDEXP(8) LDEXP(16)
