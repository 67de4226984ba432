// SPDX-License-Identifier: Apache-2.0
// Functions of numbers by their names in CUDA. Those with less precision there have the precision of <math.h> here.
// There is no mathematics of double: such calls are refused.
#pragma once

#include <algorithm>

// Named as in C, without the f.
#define SPICA_CUDA_ONE(name, function)                                                               \
  SIMT_INLINE float name(float x) { return function(x); }                                            \
  double name(double) __attribute__((unavailable("there are no functions of double: take " #function \
                                                 ", and write constants "                            \
                                                 "like 0.5f")))
SPICA_CUDA_ONE(acos, acosf);
SPICA_CUDA_ONE(asin, asinf);
SPICA_CUDA_ONE(atan, atanf);
SPICA_CUDA_ONE(cbrt, cbrtf);
SPICA_CUDA_ONE(cos, cosf);
SPICA_CUDA_ONE(cosh, coshf);
SPICA_CUDA_ONE(erf, erff);
SPICA_CUDA_ONE(exp, expf);
SPICA_CUDA_ONE(exp2, exp2f);
SPICA_CUDA_ONE(expm1, expm1f);
SPICA_CUDA_ONE(log, logf);
SPICA_CUDA_ONE(log10, log10f);
SPICA_CUDA_ONE(log1p, log1pf);
SPICA_CUDA_ONE(log2, log2f);
SPICA_CUDA_ONE(sin, sinf);
SPICA_CUDA_ONE(sinh, sinhf);
SPICA_CUDA_ONE(sqrt, sqrtf);
SPICA_CUDA_ONE(tan, tanf);
SPICA_CUDA_ONE(tanh, tanhf);
SPICA_CUDA_ONE(ceil, ceilf);
SPICA_CUDA_ONE(floor, floorf);
SPICA_CUDA_ONE(rint, rintf);
SPICA_CUDA_ONE(round, roundf);
SPICA_CUDA_ONE(trunc, truncf);
#undef SPICA_CUDA_ONE
#define SPICA_CUDA_TWO(name, function)                                                              \
  SIMT_INLINE float name(float x, float y) { return function(x, y); }                               \
  double name(double, double)                                                                       \
      __attribute__((unavailable("there are no functions of double: take " #function ", and write " \
                                 "constants like 0.5f")))
SPICA_CUDA_TWO(atan2, atan2f);
SPICA_CUDA_TWO(hypot, hypotf);
SPICA_CUDA_TWO(pow, powf);
#undef SPICA_CUDA_TWO
SIMT_INLINE float fabs(float x) { return fabsf(x); }
SIMT_INLINE double fabs(double x) { return __builtin_fabs(x); }
SIMT_INLINE float abs(float x) { return fabsf(x); }
SIMT_INLINE double abs(double x) { return __builtin_fabs(x); }
SIMT_INLINE long long abs(long long x) { return x < 0 ? -x : x; }
SIMT_INLINE float fmin(float x, float y) { return fminf(x, y); }
SIMT_INLINE float fmax(float x, float y) { return fmaxf(x, y); }
SIMT_INLINE float fma(float x, float y, float z) { return fmaf(x, y, z); }
SIMT_INLINE float copysign(float x, float y) { return copysignf(x, y); }
SIMT_INLINE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
SIMT_INLINE float rsqrt(float x) { return rsqrtf(x); }
SIMT_INLINE float erfcf(float x) { return 1.0f - erff(x); }
SIMT_INLINE float exp10f(float x) { return powf(10.0f, x); }
SIMT_INLINE float nearbyintf(float x) { return rintf(x); }
SIMT_INLINE void sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
SIMT_INLINE bool isnan(float x) { return __builtin_isnan(x); }
SIMT_INLINE bool isinf(float x) { return __builtin_isinf(x); }
SIMT_INLINE bool isfinite(float x) { return __builtin_isfinite(x); }
SIMT_INLINE bool signbit(float x) { return __builtin_signbit(x); }

/// Of two numbers, also of different types.
template <class A, class B>
SIMT_INLINE auto min(A a, B b) {
  using T = decltype(true ? a : b);
  return std::min<T>(a, b);
}
template <class A, class B>
SIMT_INLINE auto max(A a, B b) {
  using T = decltype(true ? a : b);
  return std::max<T>(a, b);
}

// With less precision in CUDA.
SIMT_INLINE float __sinf(float x) { return sinf(x); }
SIMT_INLINE float __cosf(float x) { return cosf(x); }
SIMT_INLINE float __tanf(float x) { return tanf(x); }
SIMT_INLINE float __expf(float x) { return expf(x); }
SIMT_INLINE float __exp10f(float x) { return exp10f(x); }
SIMT_INLINE float __logf(float x) { return logf(x); }
SIMT_INLINE float __log2f(float x) { return log2f(x); }
SIMT_INLINE float __log10f(float x) { return log10f(x); }
SIMT_INLINE float __powf(float x, float y) { return powf(x, y); }
SIMT_INLINE void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
SIMT_INLINE float __fdividef(float x, float y) { return x / y; }
SIMT_INLINE float fdividef(float x, float y) { return x / y; }
SIMT_INLINE float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

// Rounded to the nearest.
SIMT_INLINE float __fadd_rn(float x, float y) { return x + y; }
SIMT_INLINE float __fsub_rn(float x, float y) { return x - y; }
SIMT_INLINE float __fmul_rn(float x, float y) { return x * y; }
SIMT_INLINE float __fdiv_rn(float x, float y) { return x / y; }
SIMT_INLINE float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
SIMT_INLINE float __frcp_rn(float x) { return 1.0f / x; }
SIMT_INLINE float __fsqrt_rn(float x) { return sqrtf(x); }
SIMT_INLINE float __frsqrt_rn(float x) { return rsqrtf(x); }

// Conversions. What does not fit becomes the next number that does, NaN 0.
#define SPICA_CUDA_TO_INTEGER(suffix, mode)                     \
  SIMT_INLINE int __float2int_##suffix(float x) {               \
    int result;                                                 \
    __asm__("fcvt.w.s %0, %1, " mode : "=r"(result) : "f"(x));  \
    return result & static_cast<int>(-simt_hide(x == x));       \
  }                                                             \
  SIMT_INLINE unsigned __float2uint_##suffix(float x) {         \
    unsigned result;                                            \
    __asm__("fcvt.wu.s %0, %1, " mode : "=r"(result) : "f"(x)); \
    return result & -simt_hide(x == x);                         \
  }
SPICA_CUDA_TO_INTEGER(rn, "rne")
SPICA_CUDA_TO_INTEGER(rz, "rtz")
SPICA_CUDA_TO_INTEGER(ru, "rup")
SPICA_CUDA_TO_INTEGER(rd, "rdn")
#undef SPICA_CUDA_TO_INTEGER
SIMT_INLINE float __int2float_rn(int x) { return static_cast<float>(x); }
SIMT_INLINE float __uint2float_rn(unsigned x) { return static_cast<float>(x); }

#define SPICA_CUDA_BITS(name, From, To)           \
  SIMT_INLINE To name(From value) {               \
    To bits;                                      \
    static_assert(sizeof bits == sizeof value);   \
    __builtin_memcpy(&bits, &value, sizeof bits); \
    return bits;                                  \
  }
SPICA_CUDA_BITS(__float_as_int, float, int)
SPICA_CUDA_BITS(__float_as_uint, float, unsigned)
SPICA_CUDA_BITS(__int_as_float, int, float)
SPICA_CUDA_BITS(__uint_as_float, unsigned, float)
SPICA_CUDA_BITS(__double_as_longlong, double, long long)
SPICA_CUDA_BITS(__longlong_as_double, long long, double)
#undef SPICA_CUDA_BITS

// Integers.
SIMT_INLINE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
SIMT_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); }
SIMT_INLINE int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
SIMT_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
SIMT_INLINE unsigned __sad(int a, int b, unsigned c) {
  return c + static_cast<unsigned>(max(a, b)) - static_cast<unsigned>(min(a, b));
}
SIMT_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + max(a, b) - min(a, b); }
SIMT_INLINE int __popc(unsigned x) { return static_cast<int>(spica::count_bits(x)); }
SIMT_INLINE int __popcll(unsigned long long x) {
  return __popc(static_cast<unsigned>(x)) + __popc(static_cast<unsigned>(x >> 32));
}
SIMT_INLINE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
SIMT_INLINE int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
SIMT_INLINE int __ffs(int x) { return x == 0 ? 0 : __builtin_ctz(static_cast<unsigned>(x)) + 1; }
SIMT_INLINE int __ffsll(long long x) {
  return x == 0 ? 0 : __builtin_ctzll(static_cast<unsigned long long>(x)) + 1;
}
SIMT_INLINE unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  x = (x >> 8 & 0x00FF00FFu) | (x & 0x00FF00FFu) << 8;
  return x >> 16 | x << 16;
}
SIMT_INLINE unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
/// Bytes of b:a, chosen by the lowest three bits of each digit.
SIMT_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned digits) {
  const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(both >> 8 * (digits >> 4 * i & 7) & 255) << 8 * i;
  return result;
}
SIMT_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
SIMT_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}

// Loads and stores that name a cache.
#define SPICA_CUDA_LOAD(name)       \
  template <class T>                \
  SIMT_INLINE T name(const T* at) { \
    return *at;                     \
  }
SPICA_CUDA_LOAD(__ldg)
SPICA_CUDA_LOAD(__ldca)
SPICA_CUDA_LOAD(__ldcg)
SPICA_CUDA_LOAD(__ldcs)
SPICA_CUDA_LOAD(__ldlu)
#undef SPICA_CUDA_LOAD
#define SPICA_CUDA_STORE(name)            \
  template <class T>                      \
  SIMT_INLINE void name(T* at, T value) { \
    *at = value;                          \
  }
SPICA_CUDA_STORE(__stcg)
SPICA_CUDA_STORE(__stcs)
SPICA_CUDA_STORE(__stwb)
SPICA_CUDA_STORE(__stwt)
#undef SPICA_CUDA_STORE

using clock_t = long;
SIMT_INLINE clock_t clock() { return static_cast<clock_t>(simt_cycle()); }
SIMT_INLINE long long clock64() { return static_cast<long long>(simt_cycle64()); }
SIMT_INLINE void __nanosleep(unsigned) {}
SIMT_INLINE void __trap() { abort(); }
