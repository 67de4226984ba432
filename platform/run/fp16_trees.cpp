// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fp16_trees.h"

#include <cstring>

#include "models/base/half.h"

// As in arithmetic.cpp: the loop exists for hosts with AVX2 and for any host, with the same bits.
#if defined(__x86_64__)
#define SPICA_HOST_VARIANTS __attribute__((target_clones("arch=haswell", "default")))
#else
#define SPICA_HOST_VARIANTS
#endif

namespace spica::run {

namespace {

constexpr std::uint32_t kGroup = 8;  // elements of k in a tree

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// All ones where the condition holds.
inline std::uint32_t where(bool condition) { return -static_cast<std::uint32_t>(condition); }
inline std::uint32_t choose(std::uint32_t mask, std::uint32_t a, std::uint32_t b) {
  return (a & mask) | (b & ~mask);
}

/// Without branches, so that a loop of it becomes vector code.
inline __attribute__((always_inline)) float to_half(float value) {
  const std::uint32_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFF;
  // 13 bits of the significand go; below 2^-14 what counts is the multiple of 2^-24, which is one unit of
  // numbers in [0.5, 1).
  const std::uint32_t normal = (magnitude + 0xFFF + (magnitude >> 13 & 1)) & ~0x1FFFu;
  const std::uint32_t small = bits_of((float_of(magnitude) + 0.5f) - 0.5f);
  std::uint32_t result = choose(where(magnitude < 0x38800000), small, normal);
  result = choose(where(normal >= 0x47800000), 0x7F800000, result);  // 65520 and more
  result |= bits & 0x80000000;
  return float_of(choose(where(magnitude > 0x7F800000), 0x7FC00000, result));
}

SPICA_HOST_VARIANTS
void add_group(const float* left, const float* right, std::size_t stride, float* __restrict sums,
               std::uint32_t count) {
  const float *r0 = right, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride, *r4 = r3 + stride,
              *r5 = r4 + stride, *r6 = r5 + stride, *r7 = r6 + stride;
  const float l0 = left[0], l1 = left[1], l2 = left[2], l3 = left[3], l4 = left[4], l5 = left[5],
              l6 = left[6], l7 = left[7];
  for (std::uint32_t j = 0; j < count; ++j) {
    const float pair0 = to_half(to_half(l0 * r0[j]) + to_half(l1 * r1[j]));
    const float pair1 = to_half(to_half(l2 * r2[j]) + to_half(l3 * r3[j]));
    const float pair2 = to_half(to_half(l4 * r4[j]) + to_half(l5 * r5[j]));
    const float pair3 = to_half(to_half(l6 * r6[j]) + to_half(l7 * r7[j]));
    sums[j] = to_half(to_half(pair0 + pair1) + to_half(pair2 + pair3)) + sums[j];
  }
}

}  // namespace

float nearest_half(float value) { return to_half(value); }

void round_to_halves(std::vector<float>& values) {
  for (float& value : values) value = to_half(value);
}

std::vector<float> exact_half_trees(const GemmSize& size, const std::vector<float>& a,
                                    const std::vector<float>& b) {
  std::vector<float> c(std::uint64_t{size.m} * size.n, 0.0f);
  for (std::uint32_t i = 0; i < size.m; ++i)
    for (std::uint32_t k = 0; k < size.k; k += kGroup)
      add_group(&a[std::uint64_t{i} * size.k + k], &b[std::uint64_t{k} * size.n], size.n,
                &c[std::uint64_t{i} * size.n], size.n);
  return c;
}

ErrorBound half_tree_bound(std::uint32_t k) {
  // A product and three sums, each within half a unit of 11 bits or, when subnormal (products only: sums
  // of FP16 numbers below 2^-14 are exact), half of 2^-24; then a chain of k / 8 sums of 24 bits.
  const double half = 0x1p-11, single = 0x1p-24;
  const double tree = (1 + half) * (1 + half) * (1 + half) * (1 + half) - 1;
  return {tree + (k / kGroup + 1) * single * (1 + tree), k * 0x1p-25 * (1 + tree)};
}

std::vector<std::uint16_t> hgmma_layout_a(const GemmSize& size, const std::vector<float>& a) {
  std::vector<std::uint16_t> result(a.size());
  for (std::uint32_t row = 0; row < size.m; ++row)
    for (std::uint32_t column = 0; column < size.k; ++column) {
      const std::uint32_t r = row % 16, e = column % 16;
      const std::uint64_t from_row = row - r + 2 * (r % 8) + e / 8;
      const std::uint64_t from_column = column - e + 8 * (r / 8) + e % 8;
      result[std::uint64_t{row} * size.k + column] =
          base::half_from_float(a[from_row * size.k + from_column]);
    }
  return result;
}

std::vector<std::uint16_t> hgmma_layout_b(const GemmSize& size, const std::vector<float>& b) {
  std::vector<std::uint16_t> result(b.size());
  for (std::uint32_t row = 0; row < size.k; ++row)
    for (std::uint32_t column = 0; column < size.n; ++column) {
      const std::uint32_t r = row % 16, q = row / 16 % 2, e = column % 16, h = column / 16 % 2;
      const std::uint64_t from_row = row / 32 * 32 + 16 * h + 8 * (r / 8) + e % 8;
      const std::uint64_t from_column = column / 32 * 32 + 16 * q + 2 * (r % 8) + e / 8;
      result[std::uint64_t{row} * size.n + column] =
          base::half_from_float(b[from_row * size.n + from_column]);
    }
  return result;
}

}  // namespace spica::run
