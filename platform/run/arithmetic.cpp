// SPDX-License-Identifier: Apache-2.0
#include "platform/run/arithmetic.h"

#include <algorithm>
#include <cstring>

// The loops over j exist twice, for hosts with fused multiply-add instructions and for any host (where each
// one is a library call); the loader chooses. Both give the same bits: nothing is contracted or reordered.
#if defined(__x86_64__)
#define SPICA_HOST_VARIANTS __attribute__((target_clones("arch=haswell", "default")))
#else
#define SPICA_HOST_VARIANTS
#endif

namespace spica::run {

namespace {

SPICA_HOST_VARIANTS
void fused_multiply_add(float left, const float* right, float* sums, std::uint32_t count) {
  for (std::uint32_t j = 0; j < count; ++j) sums[j] = __builtin_fmaf(left, right[j], sums[j]);
}

SPICA_HOST_VARIANTS
void add(const float* terms, float* sums, std::uint32_t count) {
  for (std::uint32_t j = 0; j < count; ++j) sums[j] = sums[j] + terms[j];
}

SPICA_HOST_VARIANTS
void add_pair(float left0, const float* right0, float left1, const float* right1, float* sums,
              std::uint32_t count) {
  for (std::uint32_t j = 0; j < count; ++j) {
    const float product0 = left0 * right0[j], product1 = left1 * right1[j];
    const float pair = product0 + product1;
    sums[j] = pair + sums[j];
  }
}

}  // namespace

std::vector<float> exact_product(const GemmSize& size, const std::vector<float>& a,
                                 const std::vector<float>& b, Arithmetic arithmetic, unsigned chain) {
  const std::uint32_t n = size.n;
  std::vector<float> c(std::uint64_t{size.m} * n, 0.0f), partial(n);
  for (std::uint32_t i = 0; i < size.m; ++i) {
    const float* left = &a[std::uint64_t{i} * size.k];
    float* sums = &c[std::uint64_t{i} * n];
    if (arithmetic == Arithmetic::kPairs) {
      for (std::uint32_t k = 0; k < size.k; k += 2)
        add_pair(left[k], &b[std::uint64_t{k} * n], left[k + 1], &b[std::uint64_t{k + 1} * n], sums, n);
      continue;
    }
    for (std::uint32_t first = 0; first < size.k; first += chain) {
      std::fill(partial.begin(), partial.end(), 0.0f);
      for (std::uint32_t k = first; k < first + chain; ++k)
        fused_multiply_add(left[k], &b[std::uint64_t{k} * n], partial.data(), n);
      if (first == 0) std::copy(partial.begin(), partial.end(), sums);
      else add(partial.data(), sums, n);
    }
  }
  return c;
}

std::uint64_t different_elements(const std::vector<float>& expected, const std::vector<float>& c) {
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool both_nan = expected[i] != expected[i] && c[i] != c[i];
    different += std::memcmp(&expected[i], &c[i], sizeof(float)) != 0 && !both_nan;
  }
  return different;
}

}  // namespace spica::run
