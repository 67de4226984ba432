// SPDX-License-Identifier: Apache-2.0
#include "platform/run/arithmetic.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace spica;
using run::Arithmetic;
using run::GemmSize;

namespace {

// One row times one column: the order of sums along k can be read off the literals.
float dot(const std::vector<float>& a, const std::vector<float>& b, Arithmetic arithmetic, unsigned chain) {
  const GemmSize size{1, 1, static_cast<std::uint32_t>(a.size())};
  return run::exact_product(size, a, b, arithmetic, chain)[0];
}

constexpr float kUlp = 0x1p-23f;  // of 1

}  // namespace

TEST_CASE("a chain rounds once per multiply-add") {
  // (1 + u)^2 - (1 + 2 u) = u^2 survives only if the product is not rounded.
  const std::vector<float> a{-1, 1 + kUlp}, b{1 + 2 * kUlp, 1 + kUlp};
  CHECK(dot(a, b, Arithmetic::kFusedChains, 2) == kUlp * kUlp);
  CHECK(dot(a, b, Arithmetic::kPairs, 1) == 0.0f);
}

TEST_CASE("chains start from zero and are added in ascending order of k") {
  // Chains of two: (1 + 2^-24) = 1, then 1 + 2^-24 again = 1. One chain of four gives the same; the pair of
  // small terms in one chain does not.
  const float small = 0x1p-24f;
  CHECK(dot({1, small, small, 0}, {1, 1, 1, 1}, Arithmetic::kFusedChains, 2) == 1.0f);
  CHECK(dot({1, 0, small, small}, {1, 1, 1, 1}, Arithmetic::kFusedChains, 2) == 1.0f + kUlp);
  CHECK(dot({1, 0, small, small}, {1, 1, 1, 1}, Arithmetic::kFusedChains, 4) == 1.0f);
}

TEST_CASE("the tensor core adds two products and then the sum before") {
  const float small = 0x1p-24f;
  CHECK(dot({1, small, small, 0}, {1, 1, 1, 1}, Arithmetic::kPairs, 1) == 1.0f);
  CHECK(dot({1, 0, small, small}, {1, 1, 1, 1}, Arithmetic::kPairs, 1) == 1.0f + kUlp);
}

TEST_CASE("all elements of a product follow the same order") {
  const GemmSize size{5, 19, 16};
  const auto a = run::make_operand(size.m * size.k, 3), b = run::make_operand(size.k * size.n, 4);
  const auto chains = run::exact_product(size, a, b, Arithmetic::kFusedChains, 8);
  const auto pairs = run::exact_product(size, a, b, Arithmetic::kPairs, 1);
  std::vector<float> expected_chains(chains.size()), expected_pairs(pairs.size());
  for (unsigned i = 0; i < size.m; ++i)
    for (unsigned j = 0; j < size.n; ++j) {
      float sum = 0, pair_sum = 0;
      for (unsigned block = 0; block < size.k; block += 8) {
        float chain = 0;
        for (unsigned k = block; k < block + 8; ++k)
          chain = std::fma(a[i * size.k + k], b[k * size.n + j], chain);
        sum += chain;
      }
      for (unsigned k = 0; k < size.k; k += 2) {
        const float first = a[i * size.k + k] * b[k * size.n + j];
        const float second = a[i * size.k + k + 1] * b[(k + 1) * size.n + j];
        pair_sum = (first + second) + pair_sum;
      }
      expected_chains[i * size.n + j] = sum;
      expected_pairs[i * size.n + j] = pair_sum;
    }
  CHECK(run::different_elements(expected_chains, chains) == 0);
  CHECK(run::different_elements(expected_pairs, pairs) == 0);
  CHECK(run::different_elements(chains, pairs) > 0);
}

TEST_CASE("one bit makes an element different, the kind of NaN does not") {
  std::vector<float> a{1, 2, std::nanf("1"), 0.0f}, b = a;
  b[2] = std::nanf("2");
  CHECK(run::different_elements(a, b) == 0);
  b[1] = std::nextafter(2.0f, 3.0f);
  b[3] = -0.0f;
  CHECK(run::different_elements(a, b) == 2);
}

TEST_CASE("a transposed matrix has its columns in a row") {
  CHECK(run::transposed({1, 2, 3, 4, 5, 6}, 2, 3) == std::vector<float>{1, 4, 2, 5, 3, 6});
}
