// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/numeric_units.h"

#include <cmath>
#include <cstring>

#include "models/numeric/half.h"
#include "platform/workloads/unit_formats.h"

namespace spica::workloads {

namespace {

/// Integers are exact in every unit.
numeric::SumRule integer_rule() {
  numeric::SumRule rule;
  rule.adder = numeric::Adder::kInteger;
  rule.result = numeric::SumResult::kInt32;
  rule.step_products = 1;
  return rule;
}

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

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
  const bool half = fingerprint.result == "fp16";
  float c;
  const auto word = static_cast<std::uint32_t>(fingerprint.c);
  std::memcpy(&c, &word, sizeof c);
  if (half) c = numeric::float_from_half(static_cast<std::uint16_t>(word));
  const float sum = exact_sum({1, kColumns, k}, a, b, std::vector<float>(kColumns, c), arithmetic_)[0];
  if (half) return numeric::half_from_float(sum);
  return std::isnan(sum) ? 0x7FC0'0000 : bits_of(sum);
}

std::vector<NumericUnit> numeric_units(const soc::SocParams& params) {
  std::vector<NumericUnit> units;
  for (const UnitFormat& one : unit_formats(params)) {
    const numeric::OperandInfo& operands = *numeric::operand_info(numeric::info(one.operand).key);
    if (!numeric::info(one.operand).is_float) {
      units.emplace_back(one.key, operands, integer_rule());
      continue;
    }
    const Arithmetic arithmetic = unit_arithmetic(one.unit, one.operand, one.result, params, one.number);
    if (arithmetic.kind == Arithmetic::Kind::kFusedSteps)
      units.emplace_back(one.key, operands, arithmetic.rule);
    else units.emplace_back(one.key, operands, arithmetic);
  }
  return units;
}

}  // namespace spica::workloads
