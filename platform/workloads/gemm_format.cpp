// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/gemm_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/numeric/convert.h"
#include "platform/loader/user_error.h"
#include "platform/workloads/condition.h"

namespace spica::workloads {

namespace {

using Unit = std::decay_t<decltype(soc::SocParams().cluster.matrix_units.front())>;

/// A matrix unit that takes words of so many bits of the format.
Unit unit_of(Element format, std::uint32_t word_bits) {
  Unit unit;
  unit.operand = format;
  unit.macs_per_cell = word_bits / numeric::info(format).stored_bits;
  return unit;
}

/// Whether the design's operands can be words of several elements along k.
bool takes_words(const GemmOperands& operands) {
  return operands.a.layout == OperandLayout::kAlongK && operands.b.layout == OperandLayout::kAcross;
}

}  // namespace

std::vector<Element> formats_of(const GemmDesign& design) {
  if (design.unit != ComputeUnit::kMatrixUnit) return {design.element()};
  const std::uint32_t word = numeric::info(design.element()).stored_bits;
  std::vector<Element> formats;
  const MachineValues machine{soc::SocParams()};
  for (const numeric::FormatInfo& info : numeric::kFormats) {
    // Whether a matrix unit takes it, its parameters say.
    if (!machine.mistake({"cluster.matrix_units.0.operand", Condition::Kind::kOneOf, {info.key}}).empty())
      continue;
    const Element format = *numeric::format_of_key(info.key);
    const Unit unit = unit_of(format, word);
    if (unit.word_bits() == word && (unit.macs_per_cell == 1 || takes_words(design.operands)))
      formats.push_back(format);
  }
  return formats;
}

GemmDesign in_format(GemmDesign design, const std::string& key, std::vector<std::string>& overrides) {
  const std::vector<Element> formats = formats_of(design);
  const std::optional<Element> format = numeric::format_of_key(key);
  if (!format || std::find(formats.begin(), formats.end(), *format) == formats.end()) {
    std::vector<std::string> keys;
    for (const Element one : formats) keys.emplace_back(numeric::info(one).key);
    throw loader::UserError(
        fmt::format("--format {}: design {} multiplies {}", key, design.name, fmt::join(keys, ", ")));
  }
  if (design.unit != ComputeUnit::kMatrixUnit) return design;
  const Unit unit = unit_of(*format, numeric::info(design.element()).stored_bits);
  design.packed = static_cast<std::uint32_t>(unit.macs_per_cell);
  design.operands.a.element = design.operands.b.element = *format;
  design.operands.c.element = unit.result_format();
  for (const unsigned number : design.matrix_units) {
    const std::string prefix = fmt::format("cluster.matrix_units.{}.", number);
    const std::string operand = fmt::format("{}operand={}", prefix, key);
    const std::string macs = fmt::format("{}macs_per_cell={}", prefix, unit.macs_per_cell);
    const auto is_operand = [&](const std::string& need) { return need.rfind(prefix + "operand=", 0) == 0; };
    design.needs.erase(std::remove_if(design.needs.begin(), design.needs.end(), is_operand),
                       design.needs.end());
    for (const std::string& one : {operand, macs}) {
      design.needs.push_back(one);
      overrides.push_back(one);
    }
  }
  return design;
}

}  // namespace spica::workloads
