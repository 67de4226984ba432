/* SPDX-License-Identifier: Apache-2.0
 *
 * Single-precision functions. None has a branch on which lanes may diverge, so lanes with different arguments may call
 * them together. Their errors are in docs/howto/kernel-library.md. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))

float expf(float x);
float exp2f(float x);
float expm1f(float x);
float logf(float x);
float log2f(float x);
float log10f(float x);
float log1pf(float x);
float powf(float x, float y);
float cbrtf(float x);
float hypotf(float x, float y);
float sinf(float x);
float cosf(float x);
float tanf(float x);
float asinf(float x);
float acosf(float x);
float atanf(float x);
float atan2f(float y, float x);
float sinhf(float x);
float coshf(float x);
float tanhf(float x);
float erff(float x);
float floorf(float x);
float ceilf(float x);
float truncf(float x);
float roundf(float x);
float rintf(float x); /* to the nearest, ties to even */

static inline float fabsf(float x) { return __builtin_fabsf(x); }
static inline float copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }
#ifdef __riscv /* one instruction each, whatever the compiler thinks of them */
static inline float sqrtf(float x) {
  float result;
  __asm__("fsqrt.s %0, %1" : "=f"(result) : "f"(x));
  return result;
}
static inline float fminf(float a, float b) {
  float result;
  __asm__("fmin.s %0, %1, %2" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
static inline float fmaxf(float a, float b) {
  float result;
  __asm__("fmax.s %0, %1, %2" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
static inline float fmaf(float a, float b, float c) {
  float result;
  __asm__("fmadd.s %0, %1, %2, %3" : "=f"(result) : "f"(a), "f"(b), "f"(c));
  return result;
}
#else
static inline float sqrtf(float x) { return __builtin_sqrtf(x); }
static inline float fminf(float a, float b) { return __builtin_fminf(a, b); }
static inline float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
static inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#endif

#ifdef __cplusplus
}
#endif
