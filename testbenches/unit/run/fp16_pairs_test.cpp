// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fp16_pairs.h"

#include <catch2/catch.hpp>
#include <limits>

#include "platform/run/arithmetic.h"
#include "testbenches/support/wmma_model.h"

using namespace spica;
using run::GemmSize;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// One row times one column of k = 4: the order of the additions can be read off the literals.
float dot(const std::vector<float>& a, const std::vector<float>& b) {
  return run::exact_half_pairs({1, 1, static_cast<std::uint32_t>(a.size())}, a, b)[0];
}

std::uint32_t word(float low, float high) {
  const auto halves = run::half_rows({low, high});
  return halves[0] | std::uint32_t{halves[1]} << 16;
}

}  // namespace

TEST_CASE("each product is rounded to FP16, ties to even") {
  const float ulp = 0x1p-10f;  // of 1
  CHECK(dot({1 + ulp, 0, 0, 0}, {1 + ulp, 0, 0, 0}) == 1 + 2 * ulp);       // + 2^-20: down
  CHECK(dot({1.5f, 0, 0, 0}, {1 + ulp, 0, 0, 0}) == 1.5f + 2 * ulp);       // 1.5 + 1.5 ulp: to even
  CHECK(dot({0x1p-14f, 0, 0, 0}, {1.5f * 0x1p-10f, 0, 0, 0}) == 0x1p-23f); // 1.5 of the smallest: to even
  CHECK(dot({0x1p-14f, 0, 0, 0}, {0x1p-11f, 0, 0, 0}) == 0.0f);            // half of the smallest
}

TEST_CASE("the four products are added pairwise in FP16") {
  // 2048 + 1 is no FP16 number, 1 + 1 is: only (p0 + p1) + (p2 + p3) keeps two of the three ones.
  CHECK(dot({2048, 1, 1, 1}, {1, 1, 1, 1}) == 2050.0f);
  CHECK(dot({1, 1, 1, 2048}, {1, 1, 1, 1}) == 2050.0f);
}

TEST_CASE("sums over sets are FP32") {
  CHECK(dot({2048, 0, 0, 0, 1, 0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0}) == 2049.0f);
}

TEST_CASE("FP16 overflows before FP32 sees the sum") {
  CHECK(dot({60000, 60000, 0, 0}, {1, 1, 0, 0}) == kInfinity);
  CHECK(dot({60000, 0, 0, 0, 60000, 0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0}) == 119936.0f + 64.0f);
  const float nothing = dot({60000, 60000, -60000, -60000}, {1, 1, 1, 1});
  CHECK(nothing != nothing);
}

TEST_CASE("whole products agree with the model of a wmma, element by element") {
  const GemmSize size{5, 19, 24};
  const auto a = run::make_half_operand(size.m * size.k, 3), b = run::make_half_operand(size.k * size.n, 4);
  const auto c = run::exact_half_pairs(size, a, b);
  for (std::uint32_t i = 0; i < size.m; ++i)
    for (std::uint32_t j = 0; j < size.n; ++j) {
      std::uint32_t sum = 0;
      const auto left = [&](std::uint32_t k) { return a[i * size.k + k]; };
      const auto right = [&](std::uint32_t k) { return b[k * size.n + j]; };
      for (std::uint32_t k = 0; k < size.k; k += 4)
        sum = testbench::wmma_model::add(
            testbench::wmma_model::dot(testbench::WmmaMode::kFp16, word(left(k), left(k + 1)),
                                       word(right(k), right(k + 1)), word(left(k + 2), left(k + 3)),
                                       word(right(k + 2), right(k + 3))),
            sum);
      float expected;
      std::memcpy(&expected, &sum, sizeof expected);
      CHECK(c[i * size.n + j] == expected);
    }
  CHECK(run::check_gemm(size, a, b, c, run::kHalfPairsBound).correct);
  CHECK_FALSE(run::check_gemm(size, a, b, c).correct);  // FP32 alone would be closer
}

TEST_CASE("an FP16 operand is the same for a seed and holds only FP16 numbers in [-1, 1)") {
  const auto first = run::make_half_operand(5000, 7);
  CHECK(first == run::make_half_operand(5000, 7));
  CHECK(first != run::make_half_operand(5000, 8));
  for (const float value : first) {
    CHECK((value >= -1 && value < 1));
    CHECK(testbench::wmma_model::round_to_half(value) == value);
  }
}

TEST_CASE("pairs of rows become rows of words, the even row in the low half") {
  // 1 2 3 / 4 5 6 as FP16
  CHECK(run::half_row_pairs({1, 2, 3, 4, 5, 6}, 2, 3) ==
        std::vector<std::uint16_t>{0x3C00, 0x4400, 0x4000, 0x4500, 0x4200, 0x4600});
  CHECK(run::half_rows({1, -2}) == std::vector<std::uint16_t>{0x3C00, 0xC000});
}
