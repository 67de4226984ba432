// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits by their names in CUDA. Each operation is computed with floats and rounded.
#pragma once

#include <spica/cuda.h>

using __half = _Float16;
using half = _Float16;
struct __attribute__((aligned(4))) __half2 {
  half x, y;
};
using half2 = __half2;

SIMT_INLINE half __float2half(float x) { return static_cast<half>(x); }
SIMT_INLINE half __float2half_rn(float x) { return static_cast<half>(x); }
SIMT_INLINE float __half2float(half x) { return static_cast<float>(x); }
SIMT_INLINE half __int2half_rn(int x) { return static_cast<half>(x); }
SIMT_INLINE int __half2int_rz(half x) { return static_cast<int>(static_cast<float>(x)); }
SIMT_INLINE half __hadd(half a, half b) { return a + b; }
SIMT_INLINE half __hsub(half a, half b) { return a - b; }
SIMT_INLINE half __hmul(half a, half b) { return a * b; }
SIMT_INLINE half __hdiv(half a, half b) { return a / b; }
SIMT_INLINE half __hneg(half a) { return -a; }
/// Rounded once: the product and the sum of halves are doubles exactly.
SIMT_INLINE half __hfma(half a, half b, half c) { return static_cast<half>(static_cast<double>(a) * b + c); }
SIMT_INLINE bool __heq(half a, half b) { return a == b; }
SIMT_INLINE bool __hlt(half a, half b) { return a < b; }
SIMT_INLINE bool __hle(half a, half b) { return a <= b; }
SIMT_INLINE bool __hgt(half a, half b) { return a > b; }
SIMT_INLINE bool __hge(half a, half b) { return a >= b; }
SIMT_INLINE half2 __halves2half2(half x, half y) { return {x, y}; }
SIMT_INLINE half2 make_half2(half x, half y) { return {x, y}; }
SIMT_INLINE half2 __half2half2(half x) { return {x, x}; }
SIMT_INLINE half2 __float2half2_rn(float x) { return {__float2half(x), __float2half(x)}; }
SIMT_INLINE half2 __floats2half2_rn(float x, float y) { return {__float2half(x), __float2half(y)}; }
SIMT_INLINE half2 __float22half2_rn(float2 v) { return {__float2half(v.x), __float2half(v.y)}; }
SIMT_INLINE float2 __half22float2(half2 v) { return {__half2float(v.x), __half2float(v.y)}; }
SIMT_INLINE half __low2half(half2 v) { return v.x; }
SIMT_INLINE half __high2half(half2 v) { return v.y; }
SIMT_INLINE float __low2float(half2 v) { return v.x; }
SIMT_INLINE float __high2float(half2 v) { return v.y; }
SIMT_INLINE half2 __hadd2(half2 a, half2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }
SIMT_INLINE half2 __hsub2(half2 a, half2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }
SIMT_INLINE half2 __hmul2(half2 a, half2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }
SIMT_INLINE half2 __hfma2(half2 a, half2 b, half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
