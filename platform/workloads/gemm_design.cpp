// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/gemm_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "models/tensor_core/warp_mma/semantics.h"
#include "platform/base/config/field.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/key_of.h"
#include "platform/workloads/arithmetic.h"
#include "platform/workloads/condition.h"
#include "platform/workloads/unit_formats.h"

namespace spica::workloads {

namespace {

std::string unfit_units(const GemmDesign& design, const soc::SocParams& params) {
  const std::size_t units = params.cluster.matrix_units.size();
  if (design.unit == ComputeUnit::kMatrixUnit)
    for (const unsigned number : design.matrix_units)
      if (number >= units)
        return fmt::format("computes on matrix unit {}; this machine has {}", number,
                           units == 0 ? "none" : std::to_string(units));
  return {};
}

/// The styles of tensor cores that have that instruction: "volta|turing".
std::string styles_with(isa::Opcode opcode) {
  std::string styles;
  for (const auto& style : tensor_core::kStyles.items)
    if (isa::tensor_opcode(0, style.value) == opcode)
      styles += (styles.empty() ? "" : "|") + std::string(style.name);
  return styles;
}

}  // namespace

std::vector<std::string> tensor_core_needs(ComputeUnit unit, Element element) {
  std::string styles;
  switch (unit) {
    case ComputeUnit::kTensorCore: styles = styles_with(isa::Opcode::kWmma); break;
    case ComputeUnit::kDecoupledTensorCore: styles = styles_with(isa::Opcode::kHgmma); break;
    case ComputeUnit::kWarpTensorCore: styles = styles_with(isa::Opcode::kWmma32Mma); break;
    default: return {};
  }
  std::vector<std::string> needs{"cluster.tensor_core.present=true", "cluster.tensor_core.style=" + styles};
  if (unit != ComputeUnit::kWarpTensorCore)
    needs.push_back(fmt::format("cluster.tensor_core.operand={}{}",
                                element == Element::kFp32 ? "fp32_v1|" : "", numeric::info(element).key));
  return needs;
}

namespace {

numeric::ScaleFormat scale_of(const GemmDesign& design) {
  return design.blocks ? numeric::info(*design.blocks).scale : numeric::ScaleFormat::kNone;
}

/// The form of products of whole matrices; nullptr: the tensor cores do not have the format.
const isa::MmaForm* warp_form(const soc::SocParams& params, Element format, unsigned sum_bits,
                              numeric::ScaleFormat scale) {
  using namespace tensor_core::warp_mma;
  const Operation* const operation =
      square_operation(generation(params.cluster.tensor_core), format, sum_bits, scale);
  return operation != nullptr ? &operation->shape() : nullptr;
}

/// True if the unit adds by a rule that its parameters select, instead of the order of its style.
bool has_selected_rule(const GemmDesign& design, const soc::SocParams& params) {
  switch (design.unit) {
    case ComputeUnit::kMatrixUnit:
      return std::any_of(design.matrix_units.begin(), design.matrix_units.end(), [&](unsigned number) {
        return params.cluster.matrix_units[number].sum_rule().has_value();
      });
    case ComputeUnit::kTensorCore:
    case ComputeUnit::kDecoupledTensorCore: return params.cluster.tensor_core.sum_rule().has_value();
    case ComputeUnit::kWarpTensorCore:
    case ComputeUnit::kLanes: break;
  }
  return false;
}

Arithmetic arithmetic_of(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                         std::uint32_t k) {
  const Element element = design.element();
  const Arithmetic one_chain{Arithmetic::Kind::kFusedChains, k, element, design.operands.c.element};
  const bool is_rounded = has_selected_rule(design, params) || (design.unit == ComputeUnit::kMatrixUnit &&
                                                                sums_in(design, params) != Element::kFp32);
  if (design.unit == ComputeUnit::kLanes || (design.rule.order == GemmCheckRule::Order::kAny && !is_rounded))
    return one_chain;
  const bool is_unit = design.unit == ComputeUnit::kMatrixUnit;
  return unit_arithmetic(design.unit, element, design.operands.c.element, params,
                         is_unit ? design.matrix_units[product] : 0, scale_of(design));
}

}  // namespace

Arithmetic unit_arithmetic(const GemmDesign& design, const soc::SocParams& params) {
  const bool is_unit = design.unit == ComputeUnit::kMatrixUnit;
  return unit_arithmetic(design.unit, design.element(), design.operands.c.element, params,
                         is_unit ? design.matrix_units.front() : 0, scale_of(design));
}

Arithmetic unit_arithmetic(ComputeUnit unit, Element element, Element result, const soc::SocParams& params,
                           unsigned number, numeric::ScaleFormat scale) {
  using namespace tensor_core::warp_mma;
  const auto& tensor_core = params.cluster.tensor_core;
  switch (unit) {
    case ComputeUnit::kTensorCore:
    case ComputeUnit::kDecoupledTensorCore:
      if (const auto rule = tensor_core.sum_rule())
        return Arithmetic::by_rule(*rule, tensor_core.dot_products(), element, Element::kFp32);
      return unit == ComputeUnit::kTensorCore ? Arithmetic::tensor_core(element)
                                              : Arithmetic::decoupled_tensor_core(element);
    case ComputeUnit::kWarpTensorCore: {
      const isa::MmaForm* const form = warp_form(params, element, numeric::bits(result), scale);
      const auto rule = form != nullptr ? sum_rule(tensor_core, *form) : std::nullopt;
      return Arithmetic::by_rule(rule.value_or(numeric::SumRule{}), warp_depth(params, element, 32, scale),
                                 element, result, scale);
    }
    case ComputeUnit::kLanes:
    case ComputeUnit::kMatrixUnit: break;
  }
  const auto& matrix_unit = params.cluster.matrix_units[number];
  if (const auto rule = matrix_unit.sum_rule())
    return Arithmetic::by_rule(*rule, matrix_unit.block_depth(), element, result);
  return Arithmetic::matrix_unit(element, matrix_unit.block_depth(), result, matrix_unit.sum_format());
}

std::vector<UnitFormat> unit_formats(const soc::SocParams& params) {
  using namespace tensor_core::warp_mma;
  std::vector<UnitFormat> formats;
  const auto& tensor_core = params.cluster.tensor_core;
  const std::string key = soc::key_of(params, tensor_core);
  if (tensor_core.is_warp()) {
    std::set<std::tuple<Element, Element, numeric::ScaleFormat>> seen;
    for (const Operation& operation : operations(generation(tensor_core))) {
      const auto& form = operation.shape();
      if (missing_rule(tensor_core, form).empty() &&
          seen.insert({form.operand, form.accumulate, form.scale}).second)
        formats.push_back({key, ComputeUnit::kWarpTensorCore, 0, form.operand, form.accumulate, form.scale});
    }
  } else if (tensor_core.present) {
    const auto unit =
        tensor_core.is_decoupled() ? ComputeUnit::kDecoupledTensorCore : ComputeUnit::kTensorCore;
    formats.push_back({key, unit, 0, tensor_core.format(), Element::kFp32});
  }
  unsigned number = 0;
  for (const auto& unit : params.cluster.matrix_units) {
    formats.push_back(
        {soc::key_of(params, unit), ComputeUnit::kMatrixUnit, number, unit.operand, unit.result_format()});
    ++number;
  }
  return formats;
}

Element sums_in(const GemmDesign& design, const soc::SocParams& params) {
  if (design.operands.c.element == Element::kInt32) return Element::kInt32;
  if (design.unit == ComputeUnit::kWarpTensorCore) return design.operands.c.element;
  if (design.unit != ComputeUnit::kMatrixUnit) return Element::kFp32;
  return params.cluster.matrix_units[design.matrix_units.front()].sum_format();
}

unsigned warp_depth(const soc::SocParams& params, Element format, unsigned sum_bits,
                    numeric::ScaleFormat scale) {
  const isa::MmaForm* const form = warp_form(params, format, sum_bits, scale);
  return form != nullptr ? form->k : 0;
}

std::string missing_warp_rule(const soc::SocParams& params, Element format, Element sums,
                              numeric::ScaleFormat scale) {
  const isa::MmaForm* const form = warp_form(params, format, numeric::bits(sums), scale);
  const auto& tensor_core = params.cluster.tensor_core;
  const std::string missing = form != nullptr ? tensor_core::warp_mma::missing_rule(tensor_core, *form) : "";
  return missing.empty() ? "" : soc::key_of(params, tensor_core) + ".warp." + missing;
}

std::string_view window_name(Window window) { return kWindows.name_of(window); }

std::vector<std::string> unfit(const GemmDesign& design, const soc::SocParams& params) {
  std::vector<std::string> reasons;
  const auto add = [&](std::string reason) {
    if (!reason.empty()) reasons.push_back(std::move(reason));
  };
  if (design.work_groups && !params.dispatcher.present)
    add("runs as a grid of work groups: --set dispatcher.present=true");
  if (params.clusters != 1 && !design.work_groups)
    add(fmt::format("uses one cluster; this machine has {}: --set clusters=1", params.clusters));
  add(unfit_units(design, params));
  if (design.unit == ComputeUnit::kWarpTensorCore) {
    const std::string missing =
        missing_warp_rule(params, design.element(), design.operands.c.element, scale_of(design));
    if (!missing.empty()) add("cannot run: " + missing);
  }
  std::vector<std::string> needs = tensor_core_needs(design.unit, design.element());
  needs.insert(needs.end(), design.needs.begin(), design.needs.end());
  for (std::string& reason : unmet(needs, params)) add(std::move(reason));
  return reasons;
}

GemmDesign stored_by(GemmDesign design, const soc::SocParams& params) {
  const unsigned number = design.matrix_units.front();
  if (design.unit == ComputeUnit::kMatrixUnit && number < params.cluster.matrix_units.size())
    design.operands.c.element = params.cluster.matrix_units[number].result_format();
  return design;
}

void check_machine(const GemmDesign& design, const soc::SocParams& params) {
  const std::vector<std::string> reasons = unfit(design, params);
  if (reasons.empty()) return;
  throw input::UserError(
      fmt::format("design {} {}", design.name, fmt::join(reasons, fmt::format("\ndesign {} ", design.name))));
}

std::vector<std::string> defines_for(const GemmDesign& design, const soc::SocParams& params) {
  return defines_for(design.defines, design.follows, params, "design " + design.name);
}

GemmSize padded(const GemmDesign& design, const GemmSize& size, const soc::SocParams& params) {
  for (std::size_t product = 0; product < design.matrix_units.size(); ++product) {
    const Arithmetic arithmetic = arithmetic_of(design, params, product, design.tile.k);
    if (design.tile.k % arithmetic.length != 0)
      throw input::UserError(fmt::format(
          "design {} has a tile of {} along k, but this machine rounds after {}: check.order unit needs a multiple of that",
          design.name, design.tile.k, arithmetic.length));
  }
  check_layouts(
      design, config::Contradiction([&](const std::vector<std::string>& keys, std::string_view what) {
        throw input::UserError(
            fmt::format("design {}, tile {}: {}: {}", design.name, design.tile.text(), keys.front(), what));
      }));
  const auto up = [](std::uint32_t extent, std::uint32_t tile) { return (extent + tile - 1) / tile * tile; };
  return {up(size.m, design.tile.m), up(size.n, design.tile.n), up(size.k, design.tile.k)};
}

std::vector<GemmSize> parse_sizes(const GemmDesign& design, const std::string& text) {
  const std::vector<GemmSize> sizes = parse_gemm_sizes(text.empty() ? design.size : text);
  const std::size_t products = design.matrix_units.size();
  if (sizes.size() != products)
    throw input::UserError(fmt::format("size '{}': design {} computes {} product{}, for example {}", text,
                                       design.name, products, products == 1 ? "" : "s", design.size));
  return sizes;
}

std::uint64_t peak_macs(ComputeUnit unit, const std::vector<unsigned>& units, const soc::SocParams& params) {
  const std::uint64_t cores = params.cluster.cores * params.clusters;
  switch (unit) {
    case ComputeUnit::kTensorCore:
    case ComputeUnit::kDecoupledTensorCore:
    case ComputeUnit::kWarpTensorCore: return params.cluster.tensor_core.macs_per_cycle() * cores;
    case ComputeUnit::kLanes: {
      const simt_core::Params& core = params.cluster.core;
      return core.lanes / core.packets(core.fpu_lanes) * core.fpu_blocks * cores;
    }
    case ComputeUnit::kMatrixUnit: break;
  }
  std::uint64_t peak = 0;
  for (const unsigned number : std::set<unsigned>(units.begin(), units.end())) {
    peak += params.cluster.matrix_units[number].macs_per_cycle();
  }
  return peak * params.clusters;
}

std::uint64_t peak_macs(const GemmDesign& design, const soc::SocParams& params) {
  const std::uint64_t peak = peak_macs(design.unit, design.matrix_units, params);
  if (design.unit != ComputeUnit::kWarpTensorCore) return peak;
  return peak * numeric::info(Element::kFp16).stored_bits / numeric::info(design.element()).stored_bits;
}

bool is_checked_bitwise(const GemmDesign& design) {
  return design.rule.order == GemmCheckRule::Order::kUnit && design.rule.reference == Activation::kNone &&
         (!design.epilogue || is_exact(design.epilogue->activation));
}

Tolerance tolerance_of(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                       std::uint32_t k) {
  // Sums of integers are exact; as numbers of FP32 they are rounded once.
  if (design.operands.c.element == Element::kInt32) return {0, 0x1p-24, 0};
  Tolerance tolerance = tolerance_of(arithmetic_of(design, params, product, k), k);
  if (design.rule.tolerance != 0) tolerance.magnitudes = design.rule.tolerance;
  return tolerance;
}

std::vector<float> sums_of(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                           const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b) {
  if (design.operands.c.element != Element::kInt32)
    return exact_product(size, a, b, arithmetic_of(design, params, product, size.k));
  const std::vector<std::int32_t> integers = exact_integers(size, a, b);
  return {integers.begin(), integers.end()};
}

GemmCheck check_design(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                       const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c) {
  if (design.rule.order == GemmCheckRule::Order::kAny)
    return check_numbers(design, params, product, size, a, b, c, nullptr);
  const std::vector<bool> differs =
      differences(design.rule.reference, sums_of(design, params, product, size, a, b), c);
  return check_numbers(design, params, product, size, a, b, c, &differs);
}

GemmCheck check_numbers(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                        const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                        const std::vector<float>& c, const std::vector<bool>* differs) {
  const Activation activation = design.rule.reference;
  return check_gemm(
      size, a, b, c, activated(activation, tolerance_of(design, params, product, size.k)),
      [activation](double sum, std::uint32_t) { return activated(activation, sum); }, differs);
}

GemmCheck check_finished(const GemmDesign& design, const soc::SocParams& params, const GemmSize& size,
                         const std::vector<float>& a, const std::vector<float>& b,
                         const std::vector<float>& sums, const std::vector<float>& bias,
                         const std::vector<float>& c) {
  const Epilogue& epilogue = *design.epilogue;
  const auto bias_of = [&](std::uint32_t column) {
    return epilogue.bias ? static_cast<double>(bias[column]) : 0;
  };
  double largest_bias = 0;
  for (const float value : bias) largest_bias = std::max(largest_bias, std::fabs(static_cast<double>(value)));
  const bool bitwise = design.rule.order != GemmCheckRule::Order::kAny;
  const std::vector<bool> differs =
      bitwise ? differences(epilogue, sums, bias, size.n, c) : std::vector<bool>();
  return check_gemm(
      size, a, b, c, finished(epilogue, tolerance_of(design, params, 0, size.k), largest_bias),
      [&](double sum, std::uint32_t column) { return finished(epilogue, sum, bias_of(column)); },
      bitwise ? &differs : nullptr);
}

GemmCheck check_reals(const GemmDesign& design, const GemmSize& size, const std::vector<float>& a,
                      const std::vector<float>& b, const std::vector<float>& bias,
                      const std::vector<float>& c) {
  const Activation activation = design.epilogue ? design.epilogue->activation : design.rule.reference;
  const bool has_bias = design.epilogue && design.epilogue->bias;
  return check_gemm(size, a, b, c, {}, [&](double sum, std::uint32_t column) {
    return activated(activation, sum + (has_bias ? static_cast<double>(bias[column]) : 0));
  });
}

}  // namespace spica::workloads
