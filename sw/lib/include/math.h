/* SPDX-License-Identifier: Apache-2.0
 *
 * Single-precision functions. None has a branch, so lanes with different arguments may call them
 * together. Errors in units in the last place of the result: sqrtf and fmaf 0.5, expf 0.92, logf
 * 0.86 (measured). */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))

float expf(float x);
float logf(float x);

static inline float fabsf(float x) { return __builtin_fabsf(x); }
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
