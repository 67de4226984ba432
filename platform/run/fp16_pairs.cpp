// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fp16_pairs.h"

#include <cstring>
#include <random>

#include "models/base/half.h"

// As in arithmetic.cpp: the loop exists twice, for hosts with wide vectors and for any host.
#if defined(__x86_64__)
#define SPICA_HOST_VARIANTS __attribute__((target_clones("arch=haswell", "default")))
#else
#define SPICA_HOST_VARIANTS
#endif

namespace spica::run {

namespace {

/// To the nearest FP16 value, ties to even, without branches: the loops around it become vector code. In the
/// range of FP16's normal numbers 13 bits of the significand go; below it everything becomes a multiple of
/// 2^-24, which adding and subtracting 0.5 does; from 65520 on it is infinity.
inline float to_half_precision(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const std::uint32_t sign = bits & 0x80000000, magnitude = bits ^ sign;
  const std::uint32_t normal = (magnitude + 0x0FFF + (magnitude >> 13 & 1)) & ~std::uint32_t{0x1FFF};
  float small;
  std::memcpy(&small, &magnitude, 4);
  small = (small + 0.5f) - 0.5f;
  std::uint32_t small_bits;
  std::memcpy(&small_bits, &small, 4);
  std::uint32_t result = magnitude < 0x38800000 ? small_bits : normal;  // 2^-14
  result = magnitude >= 0x477FF000 ? 0x7F800000 : result;               // 65520
  result = magnitude > 0x7F800000 ? magnitude : result;                 // NaN
  result |= sign;
  std::memcpy(&value, &result, 4);
  return value;
}

/// Four words of k: left[0..3] times rows right, right + n, ...
SPICA_HOST_VARIANTS
void add_four(const float* left, const float* right, std::uint32_t n, float* sums) {
  const float *row0 = right, *row1 = row0 + n, *row2 = row1 + n, *row3 = row2 + n;
  for (std::uint32_t j = 0; j < n; ++j) {
    const float p0 = to_half_precision(left[0] * row0[j]), p1 = to_half_precision(left[1] * row1[j]);
    const float p2 = to_half_precision(left[2] * row2[j]), p3 = to_half_precision(left[3] * row3[j]);
    const float low = to_half_precision(p0 + p1), high = to_half_precision(p2 + p3);
    sums[j] = to_half_precision(low + high) + sums[j];
  }
}

}  // namespace

std::vector<float> make_half_operand(std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(static_cast<std::int64_t>(generator() >> 53) - (1 << 10)) * 0x1p-10f;
  return values;
}

std::vector<std::uint16_t> half_rows(const std::vector<float>& matrix) {
  std::vector<std::uint16_t> result;
  result.reserve(matrix.size());
  for (const float value : matrix) result.push_back(base::half_from_float(value));
  return result;
}

std::vector<std::uint16_t> half_row_pairs(const std::vector<float>& matrix, std::uint32_t rows,
                                          std::uint32_t columns) {
  std::vector<std::uint16_t> result(matrix.size());
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t column = 0; column < columns; ++column)
      result[(row / 2 * columns + column) * 2 + row % 2] =
          base::half_from_float(matrix[row * columns + column]);
  return result;
}

std::vector<float> exact_half_pairs(const GemmSize& size, const std::vector<float>& a,
                                    const std::vector<float>& b) {
  std::vector<float> c(std::uint64_t{size.m} * size.n, 0.0f);
  for (std::uint32_t i = 0; i < size.m; ++i)
    for (std::uint32_t k = 0; k < size.k; k += 4)
      add_four(&a[std::uint64_t{i} * size.k + k], &b[std::uint64_t{k} * size.n], size.n,
               &c[std::uint64_t{i} * size.n]);
  return c;
}

}  // namespace spica::run
