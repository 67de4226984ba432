// SPDX-License-Identifier: Apache-2.0
// Tensor cores of styles synchronous and decoupled give the words of numeric::Mma with the numerics of a silicon.
#include <array>
#include <random>
#include <string>
#include <vector>

#include "models/numeric/mma.h"
#include "models/tensor_core/arithmetic.h"
#include "models/tensor_core/synchronous/fragment_layout.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::tensor_core;

namespace {

using Words = std::vector<std::uint32_t>;

TensorCoreParams params_of(Style style, Operand operand, Numerics numerics) {
  TensorCoreParams params;
  params.style = style;
  params.operand = operand;
  params.numerics = numerics;
  return params;
}

/// C + the products of the elements of words, by numeric::Mma.
std::uint32_t expected(const TensorCoreParams& params, const Words& a, const Words& b, std::uint32_t c) {
  const numeric::FormatInfo& format = numeric::info(params.format());
  const unsigned bits = format.stored_bits;
  const auto codes = [bits](const Words& words) {
    Words all;
    for (const std::uint32_t word : words)
      for (unsigned at = 0; at < 32; at += bits) all.push_back(word >> at & (~0u >> (32 - bits)));
    return all;
  };
  const Words left = codes(a), right = codes(b);
  const numeric::Mma mma(*params.sum_rule(), *numeric::operand_info(format.key));
  std::uint32_t sum = 0;
  mma(left.data(), right.data(), &c, &sum, 1, 1, static_cast<unsigned>(left.size()));
  return sum;
}

template <std::size_t count>
void draw(std::array<std::uint32_t, count>& words, bool wide, std::mt19937& random) {
  for (std::uint32_t& word : words) {
    word = static_cast<std::uint32_t>(random());
    if (!wide) word = (word & 0x83FF'83FF) | 0x3C00'3000;
  }
}

}  // namespace

TEST_CASE("steps and tiles are added by the rule of the numerics, with C in the first step") {
  std::mt19937 random(10);
  unsigned tried = 0;
  for (const Style style : {Style::kSynchronous, Style::kDecoupled}) {
    for (const auto& choice : kTileNumerics.items) {
      for (const Operand operand : {Operand::kFp32, Operand::kFp16, Operand::kTf32, Operand::kBf16,
                                    Operand::kE4m3, Operand::kE5m2, Operand::kE2m1}) {
        const TensorCoreParams params = params_of(style, operand, choice.value);
        std::string problem;
        TensorCoreParams::check(
            params, [&](std::initializer_list<std::string_view>, std::string_view what) { problem = what; });
        if (choice.value == Numerics::kOfUnit || !problem.empty()) continue;
        CAPTURE(static_cast<int>(style), choice.name, numeric::info(params.format()).key);
        ++tried;
        const tensor_core::Arithmetic arithmetic(params);
        for (unsigned round = 0; round < 8; ++round) {
          alignas(32) std::array<std::uint32_t, 16> a, b, c;
          draw(a, round % 2 != 0, random);
          draw(b, round % 2 != 0, random);
          draw(c, round % 2 != 0, random);
          const auto before = c;
          if (style == Style::kDecoupled) {
            arithmetic.multiply_row(a.data(), b.data(), c.data());
            for (unsigned lane = 0; lane < 8; ++lane) {
              const std::uint32_t *const row = &a[lane % 4 * 4], *const column = &b[lane / 4 * 4];
              REQUIRE(c[lane] == expected(params, {row, row + 4}, {column, column + 4}, before[lane]));
            }
            continue;
          }
          const std::uint32_t lanes = round == 7 ? 0x5A : 0xFF;
          arithmetic.multiply_pair(round % 4, lanes, {a.data(), b.data(), c.data()});
          for (unsigned lane = 0; lane < 8; ++lane) {
            for (unsigned substep = 0; substep < 2; ++substep) {
              const unsigned at = 8 * substep + lane, row = accumulator_row(lane, round % 4);
              const unsigned column = accumulator_column(lane, round % 4, substep);
              const std::uint32_t wanted =
                  expected(params, {a[row], a[8 + row]}, {b[column], b[8 + column]}, before[at]);
              REQUIRE(c[at] == ((lanes >> lane & 1) != 0 ? wanted : before[at]));
            }
          }
        }
      }
    }
  }
  CHECK(tried > 60);
}

TEST_CASE("numerics that a style does not have, or for which it has another key, are refused") {
  const auto problem = [](const TensorCoreParams& params) {
    std::string text;
    TensorCoreParams::check(
        params, [&](std::initializer_list<std::string_view>, std::string_view what) { text = what; });
    return text;
  };
  CHECK(problem(params_of(Style::kDecoupled, Operand::kFp16, Numerics::kHopper)).empty());
  CHECK(problem(params_of(Style::kAmpere, Operand::kFp16, Numerics::kHopper)) ==
        "the numerics of tensor cores with fragments are warp.numerics and the keys below it; here use tree");
  CHECK(problem(params_of(Style::kDecoupled, Operand::kInt8, Numerics::kHopper)) ==
        "sums of integers are exact: use tree");
  CHECK_THAT(problem(params_of(Style::kSynchronous, Operand::kFp32V1, Numerics::kVolta)),
             Catch::Matchers::StartsWith("numerics volta has no rule for fp32 -> fp32; it has fp16 -> fp32"));
  CHECK(problem(params_of(Style::kDecoupled, Operand::kE4m3, Numerics::kHopperMma)) ==
        "numerics hopper_mma adds 32 products at once; this unit adds 16, which is not a multiple of that");
  TensorCoreParams params = params_of(Style::kDecoupled, Operand::kFp16, Numerics::kOfUnit);
  params.warp.numerics = Numerics::kHopper;
  CHECK(
      problem(params) ==
      "the numerics of styles synchronous and decoupled are tensor_core.numerics and the keys below it; here "
      "use style");
  params = params_of(Style::kDecoupled, Operand::kFp16, Numerics::kOfUnit);
  params.sum_fraction_bits = 25;
  CHECK(
      problem(params) ==
      "this unit's own order has no selectable width of sums: use numerics: custom, or sum_fraction_bits: 0");
  params.numerics = Numerics::kCustom;
  CHECK(problem(params).empty());
  CHECK(params.sum_rule()->fraction_bits == 25);
  CHECK(params.sum_rule()->step_products == 8);
}
