// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fp16_trees.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "models/base/half.h"

using namespace spica;
using run::GemmSize;

namespace {

std::uint32_t bits(float value) {
  std::uint32_t result;
  std::memcpy(&result, &value, 4);
  return result;
}
float number(std::uint32_t word) {
  float result;
  std::memcpy(&result, &word, 4);
  return result;
}

/// One row times one column.
float dot(const std::vector<float>& a, const std::vector<float>& b) {
  return run::exact_half_trees({1, 1, static_cast<std::uint32_t>(a.size())}, a, b)[0];
}

/// FP16 numbers that tell which element they are.
std::vector<float> numbered(std::uint32_t count) {
  std::vector<float> values(count);
  for (std::uint32_t i = 0; i < count; ++i) values[i] = base::float_from_half(static_cast<std::uint16_t>(i));
  return values;
}

}  // namespace

TEST_CASE("FP16 numbers round to themselves") {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const float value = base::float_from_half(static_cast<std::uint16_t>(half));
    if (bits(run::nearest_half(value)) != bits(value)) FAIL("half " << half);
  }
}

TEST_CASE("numbers between two FP16 numbers go to the nearer one, ties to the even one") {
  std::mt19937 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    const float value = number(static_cast<std::uint32_t>(random()));
    const float expected = base::float_from_half(base::half_from_float(value));
    if (bits(run::nearest_half(value)) != bits(expected)) FAIL("word " << bits(value));
  }
  CHECK(run::nearest_half(1 + 0x1p-11f) == 1);
  CHECK(run::nearest_half(1 + 3 * 0x1p-11f) == 1 + 0x1p-9f);
  CHECK(run::nearest_half(65519.996f) == 65504);
  CHECK(run::nearest_half(65520) == INFINITY);
  CHECK(run::nearest_half(-0x1p-25f) == 0);
  CHECK(std::signbit(run::nearest_half(-0x1p-25f)));
  CHECK(run::nearest_half(1.5f * 0x1p-24f) == 2 * 0x1p-24f);
  CHECK(std::isnan(run::nearest_half(NAN)));
}

TEST_CASE("a group of eight is a tree of neighbours in FP16") {
  // 2048 + 1 = 2048 in FP16. Neighbours: (2048 + 1) + (1 - 2048) = 2048 - 2047 = 1.
  const std::vector<float> one(8, 1.0f);
  CHECK(dot({2048, 1, 1, -2048, 0, 0, 0, 0}, one) == 1);
  CHECK(dot({2048, -2048, 1, 1, 0, 0, 0, 0}, one) == 2);
  CHECK(dot({2048, 0, -2048, 0, 1, 0, 1, 0}, one) == 2);
  CHECK(dot({2048, 0, 1, 0, -2048, 0, 0, 0}, one) == 0);
}

TEST_CASE("products are rounded to FP16, sums of groups are FP32") {
  const float x = 1 + 0x1p-10f;  // x * x = 1 + 2^-9 + 2^-20
  CHECK(dot({x, 0, 0, 0, 0, 0, 0, 0}, {x, 0, 0, 0, 0, 0, 0, 0}) == 1 + 0x1p-9f);
  std::vector<float> a(16, 0.0f), b(16, 1.0f);
  a[0] = 2048;
  a[8] = 1;
  CHECK(dot(a, b) == 2049);
}

TEST_CASE("the error bound holds for random products and is no license") {
  const GemmSize size{16, 16, 256};
  std::vector<float> a = run::make_operand(16 * 256, 1), b = run::make_operand(16 * 256, 2);
  run::round_to_halves(a);
  run::round_to_halves(b);
  const run::ErrorBound bound = run::half_tree_bound(size.k);
  std::vector<float> c = run::exact_half_trees(size, a, b);
  CHECK(run::check_gemm(size, a, b, c, bound.relative, bound.absolute).correct);
  CHECK_FALSE(run::check_gemm(size, a, b, c).correct);  // nearer than FP32 arithmetic it is not
  c[17] += 0.5f;
  CHECK(run::check_gemm(size, a, b, c, bound.relative, bound.absolute).wrong == 1);
}

TEST_CASE("the DMA's blocks of the permuted A are the tensor core's blocks") {
  // 16 rows, 32 of k: two DMA blocks of 16 x 16, one behind the other, are one operand tile of 1 KB.
  const GemmSize size{16, 16, 32};
  const std::vector<float> a = numbered(16 * 32);
  const auto memory = run::hgmma_layout_a(size, a);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned k = 0; k < 32; ++k) {
      const unsigned offset = 32 * (8 * (k / 8) + row / 2) + 16 * (row % 2) + 2 * (k % 8);  // facts 2.6
      const unsigned block = offset / 512, r = offset % 512 / 32, e = offset % 32 / 2;
      CAPTURE(row, k);
      REQUIRE(memory[32 * r + 16 * block + e] == row * 32 + k);
    }
}

TEST_CASE("the DMA's blocks of the permuted B are the tensor core's blocks") {
  // 32 of k, 32 columns: the upper two DMA blocks are the tile of the left 16 columns, the lower two that of
  // the right ones.
  const GemmSize size{16, 32, 32};
  const std::vector<float> b = numbered(32 * 32);
  const auto memory = run::hgmma_layout_b(size, b);
  for (unsigned k = 0; k < 32; ++k)
    for (unsigned column = 0; column < 32; ++column) {
      const unsigned tile = column / 16, within = column % 16;
      const unsigned offset = 32 * (8 * (k / 8) + within / 2) + 16 * (within % 2) + 2 * (k % 8);
      const unsigned block = offset / 512, r = offset % 512 / 32, e = offset % 32 / 2;
      CAPTURE(k, column);
      REQUIRE(memory[32 * (16 * tile + r) + 16 * block + e] == k * 32 + column);
    }
}
