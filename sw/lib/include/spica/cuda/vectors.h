// SPDX-License-Identifier: Apache-2.0
// The vector types of CUDA with their sizes and alignments, and the functions that make them.
#pragma once

#define SPICA_CUDA_VECTORS(name, T, align2, align4)                                                        \
  struct name##1 { T x; };                                                                                 \
  struct __attribute__((aligned(align2))) name##2 { T x, y; };                                             \
  struct name##3 { T x, y, z; };                                                                           \
  struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; };                                       \
  static inline __attribute__((always_inline)) name##1 make_##name##1(T x) { return {x}; }                 \
  static inline __attribute__((always_inline)) name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  static inline __attribute__((always_inline)) name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  static inline __attribute__((always_inline)) name##4 make_##name##4(T x, T y, T z, T w) {                \
    return {x, y, z, w};                                                                                   \
  }

SPICA_CUDA_VECTORS(char, signed char, 2, 4)
SPICA_CUDA_VECTORS(uchar, unsigned char, 2, 4)
SPICA_CUDA_VECTORS(short, short, 4, 8)
SPICA_CUDA_VECTORS(ushort, unsigned short, 4, 8)
SPICA_CUDA_VECTORS(int, int, 8, 16)
SPICA_CUDA_VECTORS(uint, unsigned, 8, 16)
SPICA_CUDA_VECTORS(long, long, 8, 16)
SPICA_CUDA_VECTORS(ulong, unsigned long, 8, 16)
SPICA_CUDA_VECTORS(longlong, long long, 16, 16)
SPICA_CUDA_VECTORS(ulonglong, unsigned long long, 16, 16)
SPICA_CUDA_VECTORS(float, float, 8, 16)
SPICA_CUDA_VECTORS(double, double, 16, 16)
#undef SPICA_CUDA_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_extent = 1, unsigned y_extent = 1, unsigned z_extent = 1)
      : x(x_extent), y(y_extent), z(z_extent) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

using uint = unsigned;
using ushort = unsigned short;
using uchar = unsigned char;
using ulong = unsigned long;
