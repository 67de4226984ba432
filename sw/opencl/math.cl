// SPDX-License-Identifier: Apache-2.0
// Functions of one float that sw/lib has (math.h): at most 2.5 ulp, without branches. Each is within what OpenCL allows
// (table "ULP values for single precision built-in math functions").
#include "widths.h"

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
