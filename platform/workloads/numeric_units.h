// SPDX-License-Identifier: Apache-2.0
// How the units of a machine add products.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/numeric/fingerprint.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

/// One unit with one format of operands and results.
class NumericUnit {
 public:
  /// A tensor core with fragments, or integers.
  NumericUnit(std::string unit, const numeric::OperandInfo& operands, const numeric::SumRule& rule);
  /// A unit with an order of its own.
  NumericUnit(std::string unit, const numeric::OperandInfo& operands, const Arithmetic& arithmetic);

  const std::string& unit() const { return unit_; }  // its key
  const numeric::OperandInfo& operands() const { return operands_; }
  std::string result() const;  // key
  std::string combination() const { return operands_.key + std::string(" -> ") + result(); }
  std::string rule_text() const { return text_; }
  /// std::nullopt: not a rule of sum_rule.h.
  const std::optional<numeric::SumRule>& rule() const { return rule_; }
  std::optional<std::uint64_t> word(const numeric::Fingerprint& fingerprint) const;

 private:
  std::string unit_;
  const numeric::OperandInfo& operands_;
  std::optional<numeric::SumRule> rule_;
  Arithmetic arithmetic_;
  std::string text_;
};

/// All tensor cores and matrix units, in the formats that they are built for.
std::vector<NumericUnit> numeric_units(const soc::SocParams& params);

}  // namespace spica::workloads
