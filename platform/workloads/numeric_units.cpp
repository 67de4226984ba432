// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/numeric_units.h"

#include <cmath>
#include <limits>

#include "models/numeric/number.h"
#include "models/numeric/silicon.h"
#include "platform/workloads/unit_formats.h"

namespace spica::workloads {

NumericUnit::NumericUnit(std::string unit, const numeric::OperandInfo& operands, const numeric::SumRule& rule)
    : unit_(std::move(unit)), operands_(operands), rule_(rule), text_(numeric::text(rule)) {}

NumericUnit::NumericUnit(std::string unit, const numeric::OperandInfo& operands, const Arithmetic& arithmetic)
    : unit_(std::move(unit)), operands_(operands), arithmetic_(arithmetic), text_(text(arithmetic)) {}

std::string NumericUnit::result() const {
  if (rule_) return std::string(numeric::result_key(rule_->result));
  return numeric::info(arithmetic_.result).key;
}

std::optional<std::uint64_t> NumericUnit::word(const numeric::Fingerprint& fingerprint) const {
  if (rule_) return fingerprint.result_by(numeric::Mma(*rule_, operands_));
  constexpr std::uint32_t kColumns = 8;  // at least that number at once
  const numeric::Fingerprint::Operands words = fingerprint.words(operands_);
  const std::uint32_t k = (fingerprint.k + arithmetic_.length - 1) / arithmetic_.length * arithmetic_.length;
  std::vector<float> a(k), b(std::size_t{k} * kColumns);
  for (unsigned i = 0; i < fingerprint.k; ++i) {
    const auto value = [&](std::uint64_t word) {
      return numeric::number_of(*operands_.element, static_cast<std::uint32_t>(word)).value;
    };
    a[i] = value(words.a[i]);
    std::fill_n(&b[std::size_t{i} * kColumns], kColumns, value(words.b[i]));
  }
  const numeric::SumResult result = *numeric::result_of_key(fingerprint.result);
  const float c = numeric::sum_value(result, static_cast<std::uint32_t>(fingerprint.c));
  const float sum = exact_sum({1, kColumns, k}, a, b, std::vector<float>(kColumns, c), arithmetic_)[0];
  return numeric::sum_word(result, std::isnan(sum) ? std::numeric_limits<float>::quiet_NaN() : sum);
}

std::vector<NumericUnit> numeric_units(const soc::SocParams& params) {
  std::vector<NumericUnit> units;
  for (const UnitFormat& one : unit_formats(params)) {
    const numeric::OperandInfo& operands = numeric::operand_info(one.operand, one.scale);
    if (!numeric::info(one.operand).is_float) {
      units.emplace_back(one.key, operands, numeric::integer_rule());
      continue;
    }
    const Arithmetic arithmetic =
        unit_arithmetic(one.unit, one.operand, one.result, params, one.number, one.scale);
    if (arithmetic.kind == Arithmetic::Kind::kFusedSteps)
      units.emplace_back(one.key, operands, arithmetic.rule);
    else units.emplace_back(one.key, operands, arithmetic);
  }
  return units;
}

}  // namespace spica::workloads
