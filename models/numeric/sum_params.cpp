// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/sum_params.h"

#include <algorithm>

#include "models/numeric/silicon.h"

namespace spica::numeric {

namespace {

constexpr auto kChoices = numerics_choices("style", base::Choice<Numerics>{"custom", Numerics::kCustom});

/// The rule has that silicon's steps, or changes them.
bool begins_with_own(Numerics numerics) {
  return numerics == Numerics::kOfUnit || numerics == Numerics::kTreeFp32 || numerics == Numerics::kCustom;
}

/// What numerics: custom begins with where the unit's own order is none.
SumRule plain_rule(unsigned products, SumResult result) {
  SumRule rule;
  rule.step_products = static_cast<std::uint8_t>(std::min(products, SumRule::kMostProducts));
  rule.result = result;
  if (result == SumResult::kFp16) rule.round = Rounding::kNearest;
  return rule;
}

SumRule customized(SumRule rule, const SumParams& keys) {
  if (keys.step_products != 0) rule.step_products = static_cast<std::uint8_t>(keys.step_products);
  if (keys.sum_align == SumAlign::kDown) rule.align = Rounding::kDown;
  if (keys.sum_result == SumFormat::kE8m13 && rule.result == SumResult::kFp32)
    rule.result = SumResult::kE8m13;
  if (keys.sum_round != SumRound::kOfResult)
    rule.round = keys.sum_round == SumRound::kZero ? Rounding::kZero : Rounding::kNearest;
  if (keys.sum_floor != kFloorOfStyle) rule.floor = static_cast<std::int16_t>(keys.sum_floor);
  if (keys.c_enters == AddendEnters::kLast) rule.c_after_products = rule.step_products;
  return rule;
}

}  // namespace

SumRule fp32_tree(unsigned products, SumResult result) {
  SumRule rule;
  rule.adder = Adder::kTree;
  rule.step_products = static_cast<std::uint8_t>(std::min(products, SumRule::kMostProducts));
  rule.fraction_bits = 0;
  rule.result = result;
  rule.round = Rounding::kNearest;
  return rule;
}

std::optional<SumRule> selected_rule(const SumParams& params, std::string_view own, Format operand,
                                     Format sums, unsigned depth, ScaleFormat scale) {
  if (!info(operand).is_float) return std::nullopt;
  const Numerics numerics = params.numerics;
  const bool is_own = begins_with_own(numerics);
  const SumResult result = sum_result(sums);
  const SiliconRule* const found =
      find_rule(is_own ? own : kChoices.name_of(numerics), operand_info(operand, scale).key, result);
  const bool needs_silicon = !is_own || numerics == Numerics::kOfUnit || scale != ScaleFormat::kNone;
  if (found == nullptr && needs_silicon) return std::nullopt;
  SumRule rule = found != nullptr ? found->rule : plain_rule(depth, result);
  if (numerics == Numerics::kTreeFp32) return fp32_tree(rule.step_products, result);
  if (params.sum_fraction_bits != 0) rule.fraction_bits = static_cast<std::uint8_t>(params.sum_fraction_bits);
  return numerics == Numerics::kCustom ? customized(rule, params) : rule;
}

std::string missing_rule(const SumParams& params, std::string_view own, Format operand, Format sums,
                         unsigned depth, ScaleFormat scale) {
  const std::string key(kChoices.name_of(params.numerics));
  if (!info(operand).is_float) {  // exact in each unit that has them
    const std::string_view operands = operand_info(operand).key;
    const bool has =
        begins_with_own(params.numerics) || find_rule(key, operands, SumResult::kInt32) != nullptr;
    return has ? "" : "numerics " + key + without_rule(key, operands, SumResult::kInt32);
  }
  const std::optional<SumRule> rule = selected_rule(params, own, operand, sums, depth, scale);
  if (!rule) {
    const bool is_own = begins_with_own(params.numerics);
    return "numerics " + key + (is_own ? " (of " + std::string(own) + ")" : "") +
           without_rule(is_own ? own : key, operand_info(operand, scale).key, sum_result(sums));
  }
  if (rule->takes(depth)) return {};
  return "numerics " + key + " adds " + std::to_string(rule->block_products()) +
         " products at once; this unit adds " + std::to_string(depth) + ", which is not a multiple of that" +
         (params.step_products != 0 ? " (step_products)" : "");
}

}  // namespace spica::numeric
