// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/gemm_loads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/numeric/convert.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/key_of.h"
#include "platform/workloads/special_values.h"

namespace spica::workloads {

namespace {

/// Bits of a word of the unit when its elements are of that format.
std::uint32_t word_bits(const GemmDesign& design, Element format) {
  const Packing packing = design.packing();
  return packing.slot_bits / packing.bits * numeric::info(format).stored_bits;
}

/// Words are transposed as whole bytes.
bool is_possible(const GemmDesign& design, Element format, bool transposed) {
  return format != Element::kInt32 && (!transposed || word_bits(design, format) % 8 == 0);
}

Element format_of(const GemmDesign& design, const char* option, const OperandForm& form) {
  const auto format = numeric::format_of_key(form.format);
  if (!format || !is_possible(design, *format, form.transposed))
    throw input::UserError(fmt::format("{} {}: the DMA of design {} converts {} from {}{}", option,
                                       form.format, design.name, numeric::info(design.element()).key,
                                       fmt::join(stored_formats(design, form.transposed), ", "),
                                       form.transposed ? " when it transposes" : ""));
  return *format;
}

/// What the kernel is compiled with for one operand; `name`: A or B.
void define(GemmDesign& design, const char* name, const LoadedOperand& operand) {
  if (operand.format) {
    design.defines.push_back(fmt::format("GEMM_{}_FORMAT={}", name, element_name(*operand.format)));
    design.defines.push_back(fmt::format("GEMM_{}_WORD_BITS={}", name, word_bits(design, *operand.format)));
  }
  if (operand.transposed) design.defines.push_back(fmt::format("GEMM_{}_TRANSPOSED", name));
}

/// A machine whose DMA can do it, unless it can already.
void ask(GemmDesign& design, std::vector<std::string>& overrides, const std::string& key, bool has,
         const std::string& value, const char* need) {
  if (!has) overrides.push_back(fmt::format("{}={}", key, value));
  design.needs.push_back(key + need);
}

template <class Operand>
LoadedOperand loaded(const GemmDesign& design, Operand& operand, const OperandForm& form,
                     const char* option) {
  LoadedOperand out;
  if (!form.format.empty() && form.format != numeric::info(design.element()).key)
    out.format = format_of(design, option, form);
  out.transposed = form.transposed;
  if (!form.transposed) return out;
  operand.layout = operand.layout == OperandLayout::kAlongK ? OperandLayout::kAcross : OperandLayout::kAlongK;
  return out;
}

}  // namespace

std::vector<std::string> stored_formats(const GemmDesign& design, bool transposed) {
  std::vector<std::string> formats;
  for (const numeric::FormatInfo& info : numeric::kFormats)
    if (is_possible(design, *numeric::format_of_key(info.key), transposed)) formats.emplace_back(info.key);
  return formats;
}

GemmDesign loaded_from(GemmDesign design, const OperandForm& a, const OperandForm& b,
                       const soc::SocParams& machine, std::vector<std::string>& overrides) {
  if (design.blocks)
    throw input::UserError(fmt::format(
        "{}: the DMA does not support block scales; omit --a-format, --b-format, --a-transposed and --b-transposed",
        numeric::info(*design.blocks).key));
  if (const Packing packing = design.packing(); packing.bits > packing.slot_bits)
    throw input::UserError(fmt::format(
        "design {} takes {} words for an element of {}; omit --a-format, --b-format, --a-transposed and "
        "--b-transposed",
        design.name, packing.bits / packing.slot_bits, numeric::info(design.element()).key));
  const auto is_plain = [](OperandLayout layout) {
    return layout == OperandLayout::kAlongK || layout == OperandLayout::kAcross;
  };
  if ((a.transposed && !is_plain(design.operands.a.layout)) ||
      (b.transposed && !is_plain(design.operands.b.layout)))
    throw input::UserError(
        fmt::format("design {} stores operands in its own order, which cannot be transposed", design.name));
  design.loaded_a = loaded(design, design.operands.a, a, "--a-format");
  design.loaded_b = loaded(design, design.operands.b, b, "--b-format");
  design = compiled_for(std::move(design), "GEMM_RESHAPED", {"u32:scale_a", "u32:scale_b"},
                        "--a-format, --b-format, --a-transposed or --b-transposed");
  const auto& dma = machine.cluster.dma;
  if (design.loaded_a.format || design.loaded_b.format) {
    design.defines.push_back("GEMM_OPERAND_FORMAT=" + element_name(design.element()));
    const std::uint64_t dim =
        machine.cluster.matrix_units.empty() ? 8 : machine.cluster.matrix_units.front().dim;
    const Packing packing = design.packing();
    ask(design, overrides, key_of(machine, dma.scale_units), dma.scale_units != 0,
        std::to_string(dim * packing.slot_bits / packing.bits), ">=1");
  }
  if (a.transposed || b.transposed)
    ask(design, overrides, key_of(machine, dma.transposer), dma.transposer, "true", "=true");
  define(design, "A", design.loaded_a);
  define(design, "B", design.loaded_b);
  return design;
}

LoadedValues load_values(const std::vector<float>& values, Element stored, Element loaded, bool scaled) {
  const auto has_scale = [&](Element format) {
    const numeric::FormatInfo& info = numeric::info(format);
    return !info.is_float || (scaled && info.stored_bits <= 8);
  };
  LoadedValues out;
  const double step =
      has_scale(stored) && !are_integers_of(values, stored) ? tensor_scale(values, stored) : 1;
  out.stored = quantised(values, stored, step);
  // Integers stay what they are; else the unit gets the values themselves, over its own scale if it has one.
  const bool stays = !numeric::info(stored).is_float && !numeric::info(loaded).is_float;
  if (stays) {
    out.step = step;
  } else {
    out.step = has_scale(loaded) ? tensor_scale(values, loaded) : 1;
    out.scale = static_cast<float>(step / out.step);
    if (has_scale(loaded)) out.step = step / static_cast<double>(out.scale);
  }
  out.beyond = std::max(count_beyond(values, stored, step), count_beyond(values, loaded, out.step));
  const std::vector<unsigned char> memory = encoded(out.stored, stored);
  std::vector<unsigned char> shared(numeric::stored_bytes(loaded, values.size()));
  numeric::convert(stored, memory.data(), values.size(), out.scale, loaded, shared.data());
  out.loaded = decoded(shared, loaded);
  return out;
}

}  // namespace spica::workloads
