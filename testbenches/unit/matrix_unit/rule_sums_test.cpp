// SPDX-License-Identifier: Apache-2.0
// A matrix unit with the numerics of a silicon gives the words of numeric::Mma.
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "models/matrix_unit/accumulator.h"
#include "models/matrix_unit/block_multiplier.h"
#include "models/numeric/mma.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::matrix_unit;
using numeric::Format;

namespace {

using Words = std::vector<std::uint32_t>;

MatrixUnitParams params_of(Numerics numerics, Format operand, std::uint64_t dim) {
  MatrixUnitParams p;
  p.dim = dim;
  p.operand = operand;
  p.macs_per_cell = 32 / numeric::info(operand).stored_bits;
  p.numerics = numerics;
  return p;
}

/// Codes as the rows of a block, `bits` each.
OperandBlock packed(const MatrixUnitParams& p, const Words& codes) {
  const unsigned bits = numeric::info(p.operand).stored_bits;
  std::vector<unsigned char> bytes(p.dim * p.row_bytes());
  for (std::size_t i = 0; i < codes.size(); ++i)
    for (unsigned bit = 0; bit < bits; ++bit)
      bytes[(i * bits + bit) / 8] = static_cast<unsigned char>(bytes[(i * bits + bit) / 8] |
                                                               (codes[i] >> bit & 1) << (i * bits + bit) % 8);
  OperandBlock block(p);
  block.begin(static_cast<std::uint32_t>(p.dim), p.row_bytes());
  block.put(0, static_cast<std::uint32_t>(p.dim), bytes.data());
  return block;
}

std::vector<std::string> problems(const MatrixUnitParams& p) {
  std::vector<std::string> texts;
  MatrixUnitParams::check(
      p, [&](std::initializer_list<std::string_view>, std::string_view what) { texts.emplace_back(what); });
  return texts;
}

/// Two block operations into the same sums.
void check(const MatrixUnitParams& p, std::mt19937& random) {
  const numeric::FormatInfo& format = numeric::info(p.operand);
  const unsigned dim = static_cast<unsigned>(p.dim), depth = p.block_depth();
  const std::uint32_t mask = ~0u >> (32 - format.stored_bits);
  BlockMultiplier multiplier(p);
  Accumulator accumulator(p);
  const numeric::Mma mma(*p.sum_rule(), *numeric::operand_info(format.key));
  Words sums(std::size_t{dim} * dim), next(sums.size());
  std::vector<float> result(BlockMultiplier::numbers_of(p));
  for (unsigned block = 0; block < 2; ++block) {
    Words a(std::size_t{dim} * depth), b(a.size()), words_of_b(a.size());
    for (Words* words : {&a, &b})
      for (std::uint32_t& word : *words) {
        word = static_cast<std::uint32_t>(random()) & mask;
        if (format.stored_bits == 32) word = (word & 0x81FF'FFFF) | 0x3E00'0000;
      }
    const auto per_word = static_cast<unsigned>(p.macs_per_cell);
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned column = 0; column < dim; ++column)
        words_of_b[(k / per_word * dim + column) * per_word + k % per_word] = b[k * dim + column];
    OperandBlock weights = packed(p, words_of_b);
    multiplier.preload({}, weights);
    BlockWork flip;
    flip.flip = true;
    multiplier.compute(flip, packed(p, a), result.data());
    accumulator.add_block(0, result.data(), dim, dim, block != 0);
    mma(a.data(), b.data(), sums.data(), next.data(), dim, dim, depth);
    sums = next;
    for (unsigned row = 0; row < dim; ++row) {
      Words found(dim);
      std::memcpy(found.data(), accumulator.row(row), dim * sizeof(float));
      REQUIRE(found == Words(sums.begin() + row * dim, sums.begin() + (row + 1) * dim));
    }
  }
}

}  // namespace

TEST_CASE("a matrix unit adds by the rule of its numerics, with the sum in the accumulator as C") {
  std::mt19937 random(9);
  unsigned tried = 0;
  for (const auto& choice : kNumerics.items) {
    if (choice.value == Numerics::kOfUnit) continue;
    for (const Format operand :
         {Format::kFp32, Format::kFp16, Format::kBf16, Format::kTf32, Format::kE4m3, Format::kE2m1}) {
      for (const std::uint64_t dim : {4, 8, 16}) {
        const MatrixUnitParams p = params_of(choice.value, operand, dim);
        CAPTURE(choice.name, numeric::info(operand).key, dim);
        if (!numeric::missing_rule(p, {}, operand, p.sum_format(), p.block_depth()).empty()) continue;
        for (unsigned round = 0; round < 5; ++round) check(p, random);
        ++tried;
      }
    }
  }
  CHECK(tried > 80);
}

TEST_CASE("a matrix unit with custom numerics adds by their keys") {
  std::mt19937 random(10);
  for (const Format operand : {Format::kFp32, Format::kTf32, Format::kFp16, Format::kE4m3}) {
    for (const unsigned products : {0, 2, 4}) {
      MatrixUnitParams p = params_of(Numerics::kCustom, operand, 8);
      p.step_products = products;
      p.sum_fraction_bits = 20 + products;
      p.sum_align = numeric::SumAlign::kDown;
      p.c_enters = products == 2 ? numeric::AddendEnters::kLast : numeric::AddendEnters::kFirst;
      CAPTURE(numeric::info(operand).key, products);
      REQUIRE(problems(p).empty());
      CHECK(p.sum_rule()->step_products == (products != 0 ? products : p.block_depth()));
      CHECK(p.sum_rule()->fraction_bits == 20 + products);
      check(p, random);
      p.sum_align = numeric::SumAlign::kZero;
      check(p, random);
    }
  }
}

TEST_CASE("numerics without a rule for the unit, or without effect, are refused") {
  MatrixUnitParams p;
  const auto text_of = [&] {
    const std::vector<std::string> all = problems(p);
    return all.empty() ? std::string() : all.front();
  };
  CHECK(text_of().empty());
  p.numerics = Numerics::kHopper;
  CHECK_THAT(text_of(),
             Catch::Matchers::StartsWith("numerics hopper has no rule for fp32 -> fp32; it has fp16") &&
                 Catch::Matchers::EndsWith("; numerics with that rule: cdna1, cdna2, cdna3"));
  p.operand = Format::kE4m3;
  p.macs_per_cell = 4;
  CHECK(text_of().empty());
  p.step_products = 4;
  CHECK(text_of() == "has an effect with numerics: custom only");
  p.step_products = 0;
  p.accumulate = matrix_unit::SumFormat::kBf16;
  CHECK(text_of() == "no rule has sums in BF16: use chain");
  p.accumulate = matrix_unit::SumFormat::kStandard;
  p.block_scales = true;
  CHECK(text_of() == "products with block scales are added in chains: use chain");
  p.block_scales = false;
  p.operand = Format::kInt8;
  CHECK(text_of() == "sums of integers are exact: use chain");
  p.operand = Format::kE4m3;
  p.numerics = Numerics::kHopperMma;
  p.dim = 4;
  p.tile_m = p.tile_n = p.tile_k = 16;
  CHECK(text_of() ==
        "numerics hopper_mma adds 32 products at once; this unit adds 16, which is not a multiple of that");
}
