// SPDX-License-Identifier: Apache-2.0
// A tensor core with fragments gives the words of numeric::Mma, with each of its numerics.
#include <array>
#include <random>
#include <string>
#include <vector>

#include "models/numeric/mma.h"
#include "models/tensor_core/warp_mma/semantics.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/exact_scaled_dot.h"

using namespace spica;
using namespace spica::tensor_core;
using namespace spica::tensor_core::warp_mma;
using numeric::Format;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr isa::MmaForm kHalves{16, 16, 16, Format::kFp16, Format::kFp32, false, true};
constexpr isa::MmaForm kFp8{16, 16, 32, Format::kE4m3, Format::kFp32, false, true};

unsigned width_of(Format format) { return numeric::info(format).stored_bits; }

/// Element (row, column) of a matrix to or from all fragments that hold it.
void place(const FragmentMap& map, Format format, const Words& matrix, std::uint32_t* fragment) {
  const unsigned width = width_of(format), per_word = 32 / width;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned x = 0; x < map.elements(); ++x) {
      const Place at = map.place(lane, x);
      fragment[x / per_word * kLanes + lane] |= matrix[at.row * map.columns() + at.column]
                                                << x % per_word * width;
    }
  }
}
Words taken(const FragmentMap& map, Format format, const std::uint32_t* fragment) {
  const unsigned width = width_of(format), per_word = 32 / width;
  Words matrix(std::size_t{map.rows()} * map.columns());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned x = 0; x < map.elements(); ++x) {
      const Place at = map.place(lane, x);
      const std::uint32_t word = fragment[x / per_word * kLanes + lane] >> x % per_word * width;
      matrix[at.row * map.columns() + at.column] = width == 32 ? word : word & ((1u << width) - 1);
    }
  }
  return matrix;
}

/// Mostly numbers near 1, else any words.
Words drawn(std::size_t count, Format format, bool any, std::mt19937& random) {
  Words words(count);
  for (std::uint32_t& word : words) {
    word = static_cast<std::uint32_t>(random());
    if (format == Format::kFp16) word = any ? word & 0xFFFF : (word & 0x87FF) | 0x3000;
    else if (format == Format::kBf16) word = any ? word & 0xFFFF : (word & 0x83FF) | 0x3C00;
    else if (width_of(format) < 32) word &= (1u << width_of(format)) - 1;
    else if (!any) word = (word & 0x81FF'FFFF) | 0x3E00'0000;
  }
  return words;
}

/// A product with block scales by the exact reference, element by element.
Words with_scales(const isa::MmaForm& form, const Words& a, const Words& b,
                  const std::vector<std::uint8_t>& scales_a, const std::vector<std::uint8_t>& scales_b,
                  const Words& c) {
  namespace ref = numeric::exact_dot;
  const auto blocks = static_cast<std::ptrdiff_t>(scales_a.size() / form.m);
  Words d;
  for (unsigned row = 0; row < form.m; ++row) {
    for (unsigned column = 0; column < form.n; ++column) {
      const Words left(a.begin() + row * form.k, a.begin() + (row + 1) * form.k);
      const ref::Scales of_row(scales_a.begin() + row * blocks, scales_a.begin() + (row + 1) * blocks);
      Words right;
      ref::Scales of_column;
      for (unsigned k = 0; k < form.k; ++k) right.push_back(b[k * form.n + column]);
      for (unsigned i = 0; i < blocks; ++i) of_column.push_back(scales_b[i * form.n + column]);
      const std::uint32_t addend = c[row * form.n + column];
      d.push_back(form.operand == Format::kE2m1
                      ? ref::scaled_groups(form.scale == numeric::ScaleFormat::kUe4m3, left, right, of_row,
                                           of_column, addend)
                      : ref::scaled_products(ref::format_of(numeric::info(form.operand).key), left, right,
                                             of_row, of_column, addend));
    }
  }
  return d;
}

void check(const TensorCoreParams& params, const Operation& operation, std::mt19937& random) {
  const isa::MmaForm& form = operation.shape();
  const auto rule = sum_rule(params, form);
  const numeric::OperandInfo& operands = numeric::operand_info(form.operand, form.scale);
  const numeric::Mma mma(*rule, operands);
  const unsigned blocks = mma.has_scales() ? form.k / operands.scale_block : 0;
  for (unsigned round = 0; round < 4; ++round) {
    const bool any = round == 3;
    const Words a = drawn(std::size_t{form.m} * form.k, form.operand, any, random);
    const Words b = drawn(std::size_t{form.k} * form.n, form.operand, any, random);
    const Words c = drawn(std::size_t{form.m} * form.n, form.accumulate, any, random);
    std::array<std::uint32_t, 8 * kLanes> fragment_a{}, fragment_b{}, fragment_c{};
    place(operation.a, form.operand, a, fragment_a.data());
    place(operation.b, form.operand, b, fragment_b.data());
    place(operation.c, form.accumulate, c, fragment_c.data());
    std::vector<std::uint8_t> scales_a(std::size_t{form.m} * blocks), scales_b(std::size_t{form.n} * blocks);
    const unsigned most = form.scale == numeric::ScaleFormat::kE8m0 ? 40 : 128;
    for (auto* const scales : {&scales_a, &scales_b})
      for (std::uint8_t& scale : *scales)
        scale = static_cast<std::uint8_t>(any ? random() : (256 - most) / 2 % 128 + random() % most);
    for (unsigned i = 0; i < blocks; ++i) {  // as isa/mma_form.h says
      for (unsigned row = 0; row < form.m; ++row)
        fragment_a[isa::kScaleRegister * kLanes + row] |= std::uint32_t{scales_a[row * blocks + i]} << 8 * i;
      for (unsigned column = 0; column < form.n; ++column)
        fragment_b[isa::kScaleRegister * kLanes + column] |= std::uint32_t{scales_b[i * form.n + column]}
                                                             << 8 * i;
    }
    Semantics::of(params).multiply(operation.form, fragment_a.data(), fragment_b.data(), fragment_c.data(),
                                   fragment_c.data());
    Words expected(c.size());
    if (blocks != 0) expected = with_scales(form, a, b, scales_a, scales_b, c);
    else mma(a.data(), b.data(), c.data(), expected.data(), form.m, form.n, form.k);
    REQUIRE(taken(operation.c, form.accumulate, fragment_c.data()) == expected);
  }
}

TensorCoreParams params_of(Style style, Numerics numerics) {
  TensorCoreParams params;
  params.style = style;
  params.warp.numerics = numerics;
  return params;
}

}  // namespace

TEST_CASE("fragments are multiplied by the rule of the numerics, in every form that has one") {
  std::mt19937 random(7);
  unsigned forms = 0;
  for (const Style style : {Style::kVolta, Style::kTuring, Style::kAmpere, Style::kBlock}) {
    for (const auto& choice : kNumerics.items) {
      const TensorCoreParams params = params_of(style, choice.value);
      for (const Operation& operation : operations(generation(params))) {
        const isa::MmaForm& form = operation.shape();
        if (!numeric::info(form.operand).is_float) continue;
        CAPTURE(static_cast<int>(style), choice.name, operation.form);
        const bool has_rule = missing_rule(params, form).empty();
        REQUIRE(Semantics::of(params).multiplies(operation.form) == has_rule);
        REQUIRE((Semantics::of(params).operation(operation.form) != nullptr) == has_rule);
        if (!has_rule) continue;
        check(params, operation, random);
        ++forms;
      }
    }
  }
  CHECK(forms > 330);
}

TEST_CASE("custom numerics change the rule of the style by their keys") {
  TensorCoreParams params = params_of(Style::kAmpere, Numerics::kCustom);
  const auto rule = [&] { return *sum_rule(params, kHalves); };
  const numeric::SumRule standard = rule();
  CHECK(standard.step_products == 8);
  CHECK(standard.fraction_bits == 24);
  CHECK(standard == *sum_rule(params_of(Style::kAmpere, Numerics::kOfUnit), kHalves));
  CHECK(standard.floor == -132);
  params.warp.step_products = 16;
  params.warp.sum_fraction_bits = 25;
  CHECK(rule().step_products == 16);
  CHECK(rule().fraction_bits == 25);
  params.warp.sum_align = numeric::SumAlign::kDown;
  params.warp.sum_result = numeric::SumFormat::kE8m13;
  params.warp.sum_round = numeric::SumRound::kNearest;
  params.warp.sum_floor = -20;
  params.warp.c_enters = numeric::AddendEnters::kLast;
  CHECK(rule().align == numeric::Rounding::kDown);
  CHECK(rule().result == numeric::SumResult::kE8m13);
  CHECK(rule().round == numeric::Rounding::kNearest);
  CHECK(rule().floor == -20);
  params.warp.sum_floor = numeric::SumRule::kNoFloor;
  CHECK(rule().floor == numeric::SumRule::kNoFloor);
  params.warp.sum_floor = -20;
  CHECK(rule().c_after_products == 16);
  std::mt19937 random(8);
  for (const Operation& operation : operations(Generation::kAmpere))
    if (numeric::info(operation.shape().operand).is_float &&
        Semantics::of(params).operation(operation.form) != nullptr)
      check(params, operation, random);
}

TEST_CASE("custom numerics of a format that the style lacks add all products of an instruction at once") {
  TensorCoreParams params = params_of(Style::kAmpere, Numerics::kCustom);
  CHECK(sum_rule(params, kFp8)->step_products == 32);
  CHECK(sum_rule(params, kFp8)->fraction_bits == 24);
  params.warp.step_products = 16;
  params.warp.sum_fraction_bits = 13;
  params.warp.sum_result = numeric::SumFormat::kE8m13;
  CHECK(sum_rule(params, kFp8) == numeric::find_rule("ada", "fp8_e4m3", numeric::SumResult::kFp32)->rule);
}

TEST_CASE("formats without a rule, and steps that do not divide an instruction, are named") {
  TensorCoreParams params = params_of(Style::kAmpere, Numerics::kVolta);
  CHECK(missing_rule(params, kHalves).empty());
  const isa::MmaForm of_integers = {16, 16, 16, Format::kInt8, Format::kInt32, false, true};
  CHECK(missing_rule(params, of_integers) ==
        "numerics volta has no rule for int8 -> int32; it has fp16 -> fp32, fp16 -> fp16; "
        "numerics with that rule: turing, ampere, ada, hopper, hopper_mma, blackwell, blackwell_mma");
  CHECK(missing_rule(params_of(Style::kAmpere, Numerics::kHopper), of_integers).empty());
  CHECK(missing_rule(params_of(Style::kAmpere, Numerics::kTreeFp32), of_integers).empty());
  CHECK(
      missing_rule(params, {16, 16, 16, Format::kBf16, Format::kFp32, false, true}) ==
      "numerics volta has no rule for bf16 -> fp32; it has fp16 -> fp32, fp16 -> fp16; "
      "numerics with that rule: ampere, ada, hopper, hopper_mma, blackwell, blackwell_mma, cdna1, cdna2, cdna3");
  params = params_of(Style::kAmpere, Numerics::kOfUnit);
  CHECK_THAT(missing_rule(params, kFp8),
             Catch::Matchers::StartsWith(
                 "numerics style (of ampere) has no rule for fp8_e4m3 -> fp32; it has fp16 -> fp32") &&
                 Catch::Matchers::EndsWith(
                     "; numerics with that rule: ada, hopper, hopper_mma, blackwell, blackwell_mma"));
  params = params_of(Style::kAmpere, Numerics::kCdna3);
  CHECK_THAT(missing_rule(params, {16, 16, 16, Format::kFp16, Format::kFp16, false, true}),
             Catch::Matchers::StartsWith("numerics cdna3 has no rule for fp16 -> fp16; it has fp16 -> fp32"));
  params = params_of(Style::kAmpere, Numerics::kCustom);
  params.warp.step_products = 3;
  CHECK(
      missing_rule(params, kHalves) ==
      "numerics custom adds 3 products at once; this unit adds 16, which is not a multiple of that (step_products)");
  params.warp.step_products = 64;  // all of an instruction
  CHECK(missing_rule(params, kHalves).empty());
}
