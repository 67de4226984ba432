// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/gemm_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/tensor_core/warp_mma/semantics.h"
#include "platform/loader/user_error.h"
#include "platform/workloads/arithmetic.h"

namespace spica::workloads {

namespace {

using Commands = NeededMatrixUnit::Commands;

/// What a program cannot find out about matrix unit 0, in words.
std::string unit_text(Element element, const NeededMatrixUnit& unit) {
  return fmt::format("{} {}x{}, {} commands, tiles of {}", element_name(element), unit.dim, unit.dim,
                     unit.commands == Commands::kHexadecile ? "hexadecile" : "quartile", unit.tile.text());
}

Element element_of(const matrix_unit::MatrixUnitParams& unit) {
  return unit.operand == matrix_unit::OperandFormat::kFp16 ? Element::kFp16 : Element::kFp32;
}

NeededMatrixUnit as_needed(const matrix_unit::MatrixUnitParams& unit) {
  NeededMatrixUnit needed;
  needed.dim = static_cast<unsigned>(unit.dim);
  needed.commands =
      unit.command_set == matrix_unit::CommandSet::kHexadecile ? Commands::kHexadecile : Commands::kQuartile;
  needed.tile = {static_cast<std::uint32_t>(unit.tile_m), static_cast<std::uint32_t>(unit.tile_n),
                 static_cast<std::uint32_t>(unit.tile_k)};
  return needed;
}

std::string unfit_matrix_units(const GemmDesign& design, const cluster::ClusterParams& cluster) {
  const auto& units = cluster.matrix_units;
  const NeededMatrixUnit& needed = design.needs.matrix_unit;
  if (needed.dim != 0) {
    if (units.empty()) return "needs a matrix unit, this machine has none";
    const std::string wanted = unit_text(design.element(), needed);
    const std::string there = unit_text(element_of(units.front()), as_needed(units.front()));
    if (there != wanted) return fmt::format("needs a matrix unit {}; this machine's is {}", wanted, there);
  }
  if (const unsigned second = design.needs.second_matrix_unit_dim; second != 0) {
    if (units.size() < 2) return "needs a second matrix unit, this machine has one";
    const GemmSize& tile = needed.tile;
    if (units[1].dim != second || units[1].operand != units[0].operand ||
        units[1].accumulator_bytes < std::uint64_t{4} * tile.m * tile.n)
      return fmt::format("needs as matrix unit 1 a {} {}x{} with sums of {}x{}; this machine's is {} {}x{}",
                         element_name(design.element()), second, second, tile.m, tile.n,
                         element_name(element_of(units[1])), units[1].dim, units[1].dim);
  }
  if (design.unit == ComputeUnit::kMatrixUnit)
    for (const unsigned number : design.matrix_units)
      if (number >= units.size())
        return fmt::format("computes on matrix unit {}; this machine has {}", number, units.size());
  return {};
}

std::string unfit_threads(const GemmDesign& design, const soc::SocParams& params) {
  const cluster::ClusterParams& cluster = params.cluster;
  const GemmNeeds& needs = design.needs;
  if (params.clusters != 1)
    return fmt::format("uses one cluster; this machine has {}: --set clusters=1", params.clusters);
  const std::uint64_t lanes = cluster.core.lanes;
  const std::uint64_t threads = params.clusters * cluster.cores * cluster.core.warps * lanes;
  const std::vector<unsigned>& fits = needs.threads;
  if (!fits.empty() && (lanes != needs.lanes || std::find(fits.begin(), fits.end(), threads) == fits.end()))
    return fmt::format("is for {} hardware threads in warps of {}; this machine has {} in warps of {}",
                       fmt::join(fits, ", "), needs.lanes, threads, lanes);
  const std::uint64_t cores = params.clusters * cluster.cores;
  if (cores < needs.least_cores || cores > needs.most_cores) {
    const bool exactly = needs.least_cores == needs.most_cores;
    const bool few = cores < needs.least_cores;
    return fmt::format("needs {} {} cores; this machine has {}",
                       exactly ? "exactly"
                       : few   ? "at least"
                               : "at most",
                       few ? needs.least_cores : needs.most_cores, cores);
  }
  return {};
}

std::string unfit_tensor_cores(const GemmDesign& design, const tensor_core::TensorCoreParams& params) {
  if (has_tensor_cores(design.unit, design.element(), params)) return {};
  switch (design.unit) {
    case ComputeUnit::kWarpTensorCore:
      return "needs tensor cores of fragments in registers (tensor_core.style volta, turing or ampere)";
    case ComputeUnit::kDecoupledTensorCore:
      return fmt::format("needs decoupled tensor cores for {}", element_name(design.element()));
    default: return fmt::format("needs synchronous tensor cores for {}", element_name(design.element()));
  }
}

Arithmetic arithmetic_of(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                         std::uint32_t k) {
  const Element element = design.element();
  const Arithmetic one_chain{Arithmetic::Kind::kFusedChains, k, element, design.operands.c.element};
  if (design.rule.order == GemmCheckRule::Order::kAny) return one_chain;
  switch (design.unit) {
    case ComputeUnit::kTensorCore: return Arithmetic::tensor_core(element);
    case ComputeUnit::kDecoupledTensorCore: return Arithmetic::decoupled_tensor_core(element);
    case ComputeUnit::kWarpTensorCore:
      return Arithmetic::warp_tensor_core(tensor_core::warp_mma::sum_rule(params.cluster.tensor_core),
                                          tensor_core::warp_mma::sum_terms(params.cluster.tensor_core),
                                          design.operands.c.element);
    case ComputeUnit::kLanes: return one_chain;
    case ComputeUnit::kMatrixUnit: break;
  }
  return Arithmetic::matrix_unit(
      element, static_cast<unsigned>(params.cluster.matrix_units[design.matrix_units[product]].dim));
}

}  // namespace

bool has_tensor_cores(ComputeUnit unit, Element element, const tensor_core::TensorCoreParams& params) {
  const bool format = (params.operand == tensor_core::Operand::kFp16) == (element == Element::kFp16);
  switch (unit) {
    case ComputeUnit::kTensorCore: return params.synchronous() && format;
    case ComputeUnit::kDecoupledTensorCore: return params.is_decoupled() && format;
    case ComputeUnit::kWarpTensorCore: return params.is_warp();
    default: return true;
  }
}

std::string_view window_name(Window window) { return kWindows.name_of(window); }

std::string_view window_text(Window window) {
  switch (window) {
    case Window::kResults: return "from the first tile to the moment the last result is in memory";
    case Window::kBlocks:
      return "from the head of the first k block to the end of the last: without the first load and the last store of C";
    case Window::kStores: return "from the configuration to the last store, which is still under way";
    case Window::kCommands: break;
  }
  return "from the configuration of loads and stores to the moment the last store command is given";
}

std::string unfit(const GemmDesign& design, const soc::SocParams& params) {
  const cluster::ClusterParams& cluster = params.cluster;
  for (const std::string& reason : {unfit_matrix_units(design, cluster), unfit_threads(design, params),
                                    unfit_tensor_cores(design, cluster.tensor_core)})
    if (!reason.empty()) return reason;
  const std::uint64_t shared = design.needs.shared_memory_bytes;
  if (shared != 0 && cluster.shared_memory.size != shared)
    return fmt::format("is compiled for {} bytes of shared memory; this machine has {}", shared,
                       cluster.shared_memory.size);
  for (std::size_t product = 0; product < design.matrix_units.size(); ++product) {
    const Arithmetic arithmetic = arithmetic_of(design, params, product, design.tile.k);
    if (design.tile.k % arithmetic.length != 0)
      return fmt::format(
          "has a tile of {} along k, but this machine rounds after {}: check.order unit needs a multiple of that",
          design.tile.k, arithmetic.length);
  }
  return {};
}

void check_machine(const GemmDesign& design, const soc::SocParams& params) {
  if (const std::string reason = unfit(design, params); !reason.empty())
    throw loader::UserError(fmt::format("design {} {}", design.name, reason));
}

void check_tiles(const GemmDesign& design, const GemmSize& size) {
  if (size.m % design.tile.m != 0 || size.n % design.tile.n != 0 || size.k % design.tile.k != 0)
    throw loader::UserError(fmt::format("size {}: M, N and K must be multiples of the tile {} of design {}",
                                        size.text(), design.tile.text(), design.name));
}

std::vector<GemmSize> parse_sizes(const GemmDesign& design, const std::string& text) {
  const std::vector<GemmSize> sizes = parse_gemm_sizes(text.empty() ? design.size : text);
  const std::size_t products = design.matrix_units.size();
  if (sizes.size() != products)
    throw loader::UserError(fmt::format("size '{}': design {} computes {} product{}, for example {}", text,
                                        design.name, products, products == 1 ? "" : "s", design.size));
  for (const GemmSize& size : sizes) check_tiles(design, size);
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
    const matrix_unit::MatrixUnitParams& one = params.cluster.matrix_units[number];
    peak += one.dim * one.dim;
  }
  return peak;
}

std::uint64_t peak_macs(const GemmDesign& design, const soc::SocParams& params) {
  return peak_macs(design.unit, design.matrix_units, params);
}

bool is_checked_bitwise(const GemmDesign& design) {
  return design.rule.order == GemmCheckRule::Order::kUnit && design.rule.reference == Activation::kNone;
}

GemmCheck check_design(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                       const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c) {
  const Arithmetic arithmetic = arithmetic_of(design, params, product, size.k);
  const Activation activation = design.rule.reference;
  Tolerance tolerance = tolerance_of(arithmetic, size.k);
  if (design.rule.tolerance != 0) tolerance.magnitudes = design.rule.tolerance;
  GemmCheck check = check_gemm(size, a, b, c, activated(activation, tolerance),
                               [activation](double sum) { return activated(activation, sum); });
  if (design.rule.order == GemmCheckRule::Order::kAny) return check;
  check.different_bits = different_elements(activation, exact_product(size, a, b, arithmetic), c);
  check.correct = check.correct && check.different_bits == 0;
  return check;
}

}  // namespace spica::workloads
