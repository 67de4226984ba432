// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/gemm_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/numeric/convert.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/key_of.h"
#include "platform/workloads/condition.h"

namespace spica::workloads {

namespace {

using Unit = std::decay_t<decltype(soc::SocParams().cluster.matrix_units.front())>;

std::string tensor_operand() {
  const soc::SocParams any = soc::any_machine();
  return key_of(any, any.cluster.tensor_core.operand);
}

/// Elements of the format in a word of the design.
std::uint64_t macs_per_cell(const GemmDesign& design, Element format) {
  return numeric::info(design.element()).stored_bits / numeric::info(format).stored_bits;
}

/// The matrix unit of the design, built for words of the format, with a scale for each block or without.
Unit unit_of(const GemmDesign& design, const soc::SocParams& machine, Element format, bool block_scales) {
  const unsigned number = design.matrix_units.front();
  Unit unit = number < machine.cluster.matrix_units.size() ? machine.cluster.matrix_units[number] : Unit();
  unit.operand = format;
  unit.macs_per_cell = macs_per_cell(design, format);
  unit.block_scales = block_scales;
  return unit;
}

bool has_words_of(const GemmDesign& design, const Unit& unit) {
  return unit.word_bits() == numeric::info(design.element()).stored_bits;
}

/// What contradicts what among its parameters.
std::string contradiction_in(const Unit& unit) {
  std::string found;
  Unit::check(unit, [&](std::initializer_list<std::string_view>, std::string_view text) {
    if (!found.empty()) found += "; ";
    found += text;
  });
  return found;
}

bool is_possible(const GemmDesign& design, const Unit& unit) {
  return has_words_of(design, unit) && contradiction_in(unit).empty();
}

/// The block-scaled format of a key.
std::optional<numeric::BlockFormat> block_format_of(const std::string& key) {
  for (unsigned i = 0; i < std::size(numeric::kBlockFormats); ++i)
    if (key == numeric::kBlockFormats[i].key) return static_cast<numeric::BlockFormat>(i);
  return std::nullopt;
}

/// A and B have words along k, as which kernels for tensor cores with fragments move other formats.
bool has_words_along_k(const GemmDesign& design) {
  return design.operands.a.layout == OperandLayout::kAlongK &&
         design.operands.b.layout == OperandLayout::kAlongK;
}

bool multiplies_blocks(const GemmDesign& design, const soc::SocParams& machine,
                       const numeric::BlockFormatInfo& format) {
  if (design.unit == ComputeUnit::kWarpTensorCore)
    return has_words_along_k(design) && warp_depth(machine, format.element, 32, format.scale) != 0 &&
           missing_warp_rule(machine, format.element, Element::kFp32, format.scale).empty();
  if (format.scale != numeric::ScaleFormat::kE8m0) return false;
  return design.unit == ComputeUnit::kMatrixUnit && design.matrix_units.size() == 1 &&
         is_possible(design, unit_of(design, machine, format.element, true));
}

/// Whether the unit of the design, built for it, multiplies the format.
bool multiplies(const GemmDesign& design, const soc::SocParams& machine, const MachineValues& values,
                Element format) {
  const char* const key = numeric::info(format).key;
  const auto is_value = [&](const std::string& of) {
    return values.problem(config::Expression(fmt::format("{} = {}", of, key))).empty();
  };
  if (format != Element::kFp32 && !numeric::info(format).is_float &&
      design.rule.reference != Activation::kNone)
    return false;  // the kernel continues with FP32
  switch (design.unit) {
    case ComputeUnit::kMatrixUnit: {
      const soc::SocParams any = soc::any_machine();
      return is_value(key_of(any, any.cluster.matrix_units.front().operand)) &&
             is_possible(design, unit_of(design, machine, format, false));
    }
    case ComputeUnit::kTensorCore:
    case ComputeUnit::kDecoupledTensorCore: return is_value(tensor_operand());
    case ComputeUnit::kWarpTensorCore: {
      return (has_words_along_k(design) || format == design.element()) && warp_depth(machine, format) != 0 &&
             missing_warp_rule(machine, format).empty();
    }
    case ComputeUnit::kLanes: break;
  }
  return format == design.element();
}

/// KEY=VALUE that build the unit of the design for the format.
std::vector<std::string> settings_of(const GemmDesign& design, Element format, bool block_scales) {
  const char* const key = numeric::info(format).key;
  std::vector<std::string> settings;
  if (design.unit == ComputeUnit::kTensorCore || design.unit == ComputeUnit::kDecoupledTensorCore)
    settings.push_back(fmt::format("{}={}", tensor_operand(), key));
  if (design.unit != ComputeUnit::kMatrixUnit || macs_per_cell(design, format) == 0) return settings;
  for (const unsigned number : design.matrix_units) {
    const soc::SocParams any = soc::any_machine(number);
    const Unit& of = any.cluster.matrix_units[number];
    settings.push_back(fmt::format("{}={}", key_of(any, of.operand), key));
    settings.push_back(fmt::format("{}={}", key_of(any, of.macs_per_cell), macs_per_cell(design, format)));
    if (block_scales) settings.push_back(key_of(any, of.block_scales) + "=true");
  }
  return settings;
}

/// The settings for the machine, instead of what the design needs of their keys.
void set(GemmDesign& design, std::vector<std::string>& overrides, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const std::string key = setting.substr(0, setting.find('=') + 1);
    const auto is_key = [&](const std::string& need) { return need.rfind(key, 0) == 0; };
    design.needs.erase(std::remove_if(design.needs.begin(), design.needs.end(), is_key), design.needs.end());
    design.needs.push_back(setting);
    overrides.push_back(setting);
  }
}

/// The kernel compiled for the format and its scales (sw/kernels/cutlass_common/block_tile.h). Sums stay FP16 if the
/// tensor core has them.
void compile_for(GemmDesign& design, const soc::SocParams& machine, Element format) {
  const bool is_float = numeric::info(format).is_float;
  const auto scale = design.blocks ? numeric::info(*design.blocks).scale : numeric::ScaleFormat::kNone;
  if (design.operands.c.element != Element::kFp16 || warp_depth(machine, format, 16, scale) == 0)
    design.operands.c.element = is_float ? Element::kFp32 : Element::kInt32;
  const auto is_sums = [](const std::string& define) { return define == "GEMM_HALF_SUMS"; };
  if (design.operands.c.element != Element::kFp16)
    design.defines.erase(std::remove_if(design.defines.begin(), design.defines.end(), is_sums),
                         design.defines.end());
  std::string define = "GEMM_" + element_name(format);
  if (!is_float) define += fmt::format("={}", warp_depth(machine, format));
  design.defines.push_back(define);
  design.kernel.clear();
  design.kernel_file.clear();
  if (!design.blocks) return;
  design.scale_depth = warp_depth(machine, format, 32, scale);
  const std::string scales = fmt::format("GEMM_SCALES={}", numeric::info(*design.blocks).block);
  design = compiled_for(std::move(design), scales, {"u64:scales_a", "u64:scales_b"}, "block scales");
}

}  // namespace

std::vector<std::string> formats_of(const GemmDesign& design, const soc::SocParams& machine) {
  const MachineValues values{soc::SocParams()};
  std::vector<std::string> formats;
  for (const numeric::FormatInfo& info : numeric::kFormats)
    if (multiplies(design, machine, values, *numeric::format_of_key(info.key)))
      formats.emplace_back(info.key);
  for (const numeric::BlockFormatInfo& info : numeric::kBlockFormats)
    if (multiplies_blocks(design, machine, info)) formats.emplace_back(info.key);
  return formats;
}

GemmDesign in_format(GemmDesign design, const std::string& key, const soc::SocParams& machine,
                     std::vector<std::string>& overrides) {
  const std::vector<std::string> formats = formats_of(design, machine);
  if (std::find(formats.begin(), formats.end(), key) == formats.end()) {
    const auto known = numeric::format_of_key(key);
    const auto blocks = block_format_of(key);
    std::string missing;
    if (known || blocks) {
      const Element format = known ? *known : numeric::info(*blocks).element;
      const auto scale = known ? numeric::ScaleFormat::kNone : numeric::info(*blocks).scale;
      if (design.unit == ComputeUnit::kWarpTensorCore)
        missing = missing_warp_rule(machine, format, Element::kFp32, scale);
      if (design.unit == ComputeUnit::kMatrixUnit) {
        const Unit unit = unit_of(design, machine, format, blocks.has_value());
        if (has_words_of(design, unit)) missing = contradiction_in(unit);
      }
    }
    throw input::UserError(fmt::format("--format {}: design {} multiplies {}{}", key, design.name,
                                       fmt::join(formats, ", "), missing.empty() ? "" : "; " + missing));
  }
  design.blocks = block_format_of(key);
  const Element format = design.blocks ? numeric::info(*design.blocks).element : *numeric::format_of_key(key);
  if (design.unit == ComputeUnit::kMatrixUnit) {
    const Unit unit = unit_of(design, machine, format, design.blocks.has_value());
    design.operands.c.element = unit.result_format();
    if (design.blocks) design.scale_slots = static_cast<std::uint32_t>(unit.dim);
    set(design, overrides, settings_of(design, format, design.blocks.has_value()));
  } else if (format == design.element()) {
    return design;
  } else if (design.unit == ComputeUnit::kWarpTensorCore) {
    compile_for(design, machine, format);
  } else {
    design.operands.c.element = numeric::info(format).is_float ? Element::kFp32 : Element::kInt32;
    set(design, overrides, settings_of(design, format, false));
  }
  design.slot_bits = numeric::info(design.element()).stored_bits;
  design.operands.a.element = design.operands.b.element = format;
  return design;
}

}  // namespace spica::workloads
