// SPDX-License-Identifier: Apache-2.0
// What a wmma does, written down a second time: element by element on matrices, FP32 in integer
// arithmetic, FP16 in double precision, and the accumulator layout as a list instead of a formula.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "models/isa/soft_float.h"

namespace spica::testbench {

/// Floating-point registers f0..f31 of one warp of eight lanes.
using FragmentRegisters = std::array<std::array<std::uint32_t, 8>, 32>;

enum class WmmaMode { kFp32V1, kFp32, kFp16 };

namespace wmma_model {

inline std::uint32_t add(std::uint32_t a, std::uint32_t b) {
  std::uint8_t flags = 0;
  return isa::soft::add(a, b, 0, flags);
}
inline std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint8_t flags = 0;
  return isa::soft::multiply(a, b, 0, flags);
}

inline double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value;
  if (exponent == 31) value = fraction != 0 ? std::nan("") : INFINITY;
  else if (exponent == 0) value = std::ldexp(fraction, -24);
  else value = std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}
/// To the nearest FP16 number, ties to even; sums and products of two FP16 numbers are exact in double.
inline double round_to_half(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent;
  std::frexp(value, &exponent);  // |value| in [2^(exponent-1), 2^exponent)
  const double unit = std::ldexp(1, std::max(exponent - 11, -24));
  const double rounded = std::nearbyint(value / unit) * unit;
  return std::abs(rounded) > 65504 ? std::copysign(INFINITY, value) : rounded;
}
inline std::uint32_t float_bits(double value) {
  if (std::isnan(value)) return 0x7FC00000;
  const auto narrow = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &narrow, 4);
  return bits;
}

/// What is added to C for one set: the dot product over two register words.
inline std::uint32_t dot(WmmaMode mode, std::uint32_t a0, std::uint32_t b0, std::uint32_t a1,
                         std::uint32_t b1) {
  if (mode == WmmaMode::kFp16) {
    double word[2];
    const std::uint32_t a[2] = {a0, a1}, b[2] = {b0, b1};
    for (int i = 0; i < 2; ++i) {
      double product[2];
      for (int half = 0; half < 2; ++half)
        product[half] = round_to_half(half_value(static_cast<std::uint16_t>(a[i] >> 16 * half)) *
                                      half_value(static_cast<std::uint16_t>(b[i] >> 16 * half)));
      word[i] = round_to_half(product[0] + product[1]);
    }
    return float_bits(round_to_half(word[0] + word[1]));
  }
  const std::uint32_t sum = add(multiply(a0, b0), multiply(a1, b1));
  return mode == WmmaMode::kFp32V1 ? add(sum, add(multiply(0, 0), multiply(0, 0))) : sum;
}

struct Place {
  unsigned row, column;
};
/// The element of C and D in register f(16 + i) or f(24 + i) of a lane.
inline Place accumulator_place(unsigned lane, unsigned i) {
  static constexpr unsigned kRow[8] = {0, 1, 0, 1, 4, 5, 4, 5};
  static constexpr unsigned kColumn[8] = {0, 0, 2, 2, 0, 0, 2, 2};
  static constexpr Place kOffset[8] = {{0, 0}, {0, 1}, {2, 0}, {2, 1}, {0, 4}, {0, 5}, {2, 4}, {2, 5}};
  return {kRow[lane] + kOffset[i].row, kColumn[lane] + kOffset[i].column};
}

}  // namespace wmma_model

/// The whole instruction on accumulator bank 0 (f16-f23) or 1 (f24-f31).
inline void wmma_reference(FragmentRegisters& f, WmmaMode mode, unsigned bank) {
  std::uint32_t c[8][8];
  for (unsigned lane = 0; lane < 8; ++lane)
    for (unsigned i = 0; i < 8; ++i) {
      const auto [row, column] = wmma_model::accumulator_place(lane, i);
      c[row][column] = f[16 + 8 * bank + i][lane];
    }
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column)
      for (unsigned k = 0; k < 8; k += 2)
        c[row][column] = wmma_model::add(
            wmma_model::dot(mode, f[k][row], f[8 + k][column], f[k + 1][row], f[8 + k + 1][column]),
            c[row][column]);
  for (unsigned lane = 0; lane < 8; ++lane)
    for (unsigned i = 0; i < 8; ++i) {
      const auto [row, column] = wmma_model::accumulator_place(lane, i);
      f[16 + 8 * bank + i][lane] = c[row][column];
    }
}

/// Registers with ordinary numbers, or with many special ones (zeros, subnormals, infinities, NaN).
inline FragmentRegisters random_fragments(std::mt19937& random, bool fp16, bool special) {
  static constexpr std::uint32_t kFloats[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                              0x7F800001, 1,          0x80000001, 0x007FFFFF, 0x00800000,
                                              0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0x20000000};
  static constexpr std::uint16_t kHalves[] = {0,      0x8000, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 1,
                                              0x8001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x3C00, 0x1400};
  const auto word = [&] { return static_cast<std::uint32_t>(random()); };
  const auto half = [&]() -> std::uint32_t {
    if (special && word() % 3 == 0) return kHalves[word() % 14];
    const std::uint32_t sign = word() & 0x8000;
    return sign | (special ? word() % 0x7C00 : 0x2800 + word() % 0x2000);
  };
  FragmentRegisters f{};
  for (unsigned reg = 0; reg < 32; ++reg)
    for (std::uint32_t& element : f[reg]) {
      if (fp16 && reg < 16) {
        const std::uint32_t low = half();
        element = low | half() << 16;
      } else if (special && word() % 3 == 0) {
        element = kFloats[word() % 14];
      } else {
        const std::uint32_t sign = word() & 0x80000000;
        element = sign | (special ? word() % 0x7F800000 : 0x3C000000 + word() % 0x08000000);
      }
    }
  return f;
}

}  // namespace spica::testbench
