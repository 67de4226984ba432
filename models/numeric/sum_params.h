// SPDX-License-Identifier: Apache-2.0
// The rule of sums of a unit, as its parameters select it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/params.h"
#include "models/numeric/block_format.h"
#include "models/numeric/numerics.h"
#include "models/numeric/sum_rule.h"

namespace spica::numeric {

enum class SumAlign : std::uint8_t { kZero, kDown };
inline constexpr base::Choices kSumAligns{base::Choice<SumAlign>{"zero", SumAlign::kZero},
                                          base::Choice<SumAlign>{"down", SumAlign::kDown}};
enum class SumFormat : std::uint8_t { kFp32, kE8m13 };
inline constexpr base::Choices kSumFormats{base::Choice<SumFormat>{"fp32", SumFormat::kFp32},
                                           base::Choice<SumFormat>{"e8m13", SumFormat::kE8m13}};
enum class SumRound : std::uint8_t { kOfResult, kZero, kNearest };
inline constexpr base::Choices kSumRounds{base::Choice<SumRound>{"standard", SumRound::kOfResult},
                                          base::Choice<SumRound>{"zero", SumRound::kZero},
                                          base::Choice<SumRound>{"nearest", SumRound::kNearest}};
enum class AddendEnters : std::uint8_t { kFirst, kLast };
inline constexpr base::Choices kAddendEnters{base::Choice<AddendEnters>{"first", AddendEnters::kFirst},
                                             base::Choice<AddendEnters>{"last", AddendEnters::kLast}};

/// A floor above each exponent: that of the style.
inline constexpr int kFloorOfStyle = 128;

/// The parameters of sums, which a unit's parameters inherit. Each unit describes `numerics` itself.
struct SumParams {
  Numerics numerics = Numerics::kOfUnit;
  std::uint64_t sum_fraction_bits = 0;
  std::uint64_t step_products = 0;
  SumAlign sum_align = SumAlign::kZero;
  SumFormat sum_result = SumFormat::kFp32;
  SumRound sum_round = SumRound::kOfResult;
  double sum_floor = kFloorOfStyle;
  AddendEnters c_enters = AddendEnters::kFirst;

  static constexpr std::array<std::string_view, 8> kSumKeys = {
      "numerics",   "sum_fraction_bits", "step_products", "sum_align",
      "sum_result", "sum_round",         "sum_floor",     "c_enters"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::array<std::string_view, 3> kSumPolicies = {"sum_fraction_bits", "step_products",
                                                                   "sum_floor"};
  /// These names and those of a unit.
  template <std::size_t N, std::size_t M>
  static constexpr std::array<std::string_view, N + M> joined(const std::array<std::string_view, N>& names,
                                                              const std::array<std::string_view, M>& more) {
    std::array<std::string_view, N + M> all{};
    for (std::size_t i = 0; i < N; ++i) all[i] = names[i];
    for (std::size_t i = 0; i < M; ++i) all[N + i] = more[i];
    return all;
  }

  template <class Self, class Visit>
  static void describe_sums(Self& p, Visit&& field) {
    field("sum_fraction_bits", p.sum_fraction_bits, "bits",
          base::Range{0, static_cast<double>(SumRule::kMostFractionBits)},
          "numerics custom, and style of tensor cores with fragments: terms are cut this number of bits "
          "below the largest one; 0: as the style, or 24",
          "mma-sim nv.py (Volta 23, Turing and Ampere 24, Hopper 25)");
    field("step_products", p.step_products, "products",
          base::Range{0, static_cast<double>(SumRule::kMostProducts)},
          "numerics custom: products added at once, or all of an instruction with fewer; 0: as the style, or "
          "all that the unit adds at once",
          "mma-sim nv.py");
    field("sum_align", p.sum_align, kSumAligns,
          "numerics custom: terms are cut toward zero or toward minus infinity", "mma-sim amd.py (down)");
    field("sum_result", p.sum_result, kSumFormats,
          "numerics custom: 32-bit sums; e8m13: without the low 10 bits of FP32",
          "mma-sim nv.py (FP8 of Ada)");
    field("sum_round", p.sum_round, kSumRounds,
          "numerics custom: rounding of a step; standard: toward zero to 32 bits, to nearest even to FP16",
          "fasi2021 section 3");
    field("sum_floor", p.sum_floor, "power of two",
          base::Range{static_cast<double>(SumRule::kNoFloor), kFloorOfStyle},
          "numerics custom: least exponent to which terms are aligned; -10000: none; 128: as the style",
          "khattak models");
    field("c_enters", p.c_enters, kAddendEnters,
          "numerics custom: the accumulator is a term of each step, or is added last to the sum of the "
          "step, to nearest even",
          "khattak model_validation (FP8 of Blackwell: last)");
  }

  /// Anything but the unit's own order is selected.
  bool sets_sums() const { return numerics != Numerics::kOfUnit || sum_fraction_bits != 0; }

  /// Settings without effect are contradictions. `of_silicon`: the unit's own order is that of a silicon.
  template <class Report>
  static void check_sums(const SumParams& p, bool of_silicon, Report&& contradiction) {
    const auto no_width = [&](const char* what) {
      contradiction({"numerics", "sum_fraction_bits"},
                    std::string(what) + ": use numerics: custom, or sum_fraction_bits: 0");
    };
    if (p.numerics == Numerics::kCustom) {
      if (p.sum_floor != static_cast<double>(static_cast<std::int64_t>(p.sum_floor)))
        contradiction({"sum_floor"}, "must be a whole number");
      return;
    }
    if (p.sum_fraction_bits != 0) {
      if (p.numerics == Numerics::kTreeFp32) no_width("a tree of FP32 additions has no selectable width");
      else if (p.numerics != Numerics::kOfUnit) no_width("a named silicon has its own width of sums");
      else if (!of_silicon) no_width("this unit's own order has no selectable width of sums");
    }
    const auto only_custom = [&](const char* key, bool is_set) {
      if (is_set) contradiction({"numerics", key}, "has an effect with numerics: custom only");
    };
    const SumParams none;
    only_custom("step_products", p.step_products != none.step_products);
    only_custom("sum_align", p.sum_align != none.sum_align);
    only_custom("sum_result", p.sum_result != none.sum_result);
    only_custom("sum_round", p.sum_round != none.sum_round);
    only_custom("sum_floor", p.sum_floor != none.sum_floor);
    only_custom("c_enters", p.c_enters != none.c_enters);
  }
};

/// A tree of FP32 additions of `products`, at most SumRule::kMostProducts at once.
SumRule fp32_tree(unsigned products, SumResult result);

/// The rule for floating-point operands of a unit that adds `depth` products at once; std::nullopt: there is none, or the
/// unit's own order is not a rule. `own`: the silicon whose rules are the unit's own; empty: its order is another.
/// Operands with scales have rules of silicon only.
std::optional<SumRule> selected_rule(const SumParams& params, std::string_view own, Format operand,
                                     Format sums, unsigned depth, ScaleFormat scale = ScaleFormat::kNone);
/// An error text if selected_rule() has none, or its steps do not divide `depth`: what is missing, and what exists.
std::string missing_rule(const SumParams& params, std::string_view own, Format operand, Format sums,
                         unsigned depth, ScaleFormat scale = ScaleFormat::kNone);

}  // namespace spica::numeric
