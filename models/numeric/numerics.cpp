// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/numerics.h"

#include <algorithm>

#include "models/numeric/silicon.h"

namespace spica::numeric {

namespace {

constexpr auto kSilicon = numerics_choices({});

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

std::optional<SumRule> selected_rule(Numerics numerics, Format operand, Format sums, unsigned depth) {
  if (numerics == Numerics::kOfUnit || numerics == Numerics::kCustom || !info(operand).is_float)
    return std::nullopt;
  if (numerics == Numerics::kTreeFp32) return fp32_tree(depth, sum_result(sums));
  const SiliconRule* const found = find_rule(kSilicon.name_of(numerics), info(operand).key, sum_result(sums));
  return found != nullptr ? std::optional(found->rule) : std::nullopt;
}

std::string missing_rule(Numerics numerics, Format operand, Format sums, unsigned depth) {
  const std::string key(kSilicon.name_of(numerics));
  const std::optional<SumRule> rule = selected_rule(numerics, operand, sums, depth);
  if (!rule) return "numerics " + key + without_rule(key, info(operand).key, sum_result(sums));
  if (rule->takes(depth)) return {};
  return "numerics " + key + " adds " + std::to_string(rule->block_products()) +
         " products at once; this unit adds " + std::to_string(depth) + ", which is not a multiple of that";
}

}  // namespace spica::numeric
