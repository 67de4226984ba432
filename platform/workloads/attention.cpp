// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "platform/base/input/user_error.h"
#include "platform/machine/soc/key_of.h"
#include "platform/workloads/condition.h"
#include "platform/workloads/timed_region.h"

namespace spica::workloads {

namespace {

// What all kernels are compiled for: two groups of 64 queries in flight.
constexpr std::uint32_t kHeadDim = 64, kQueries = 128;
constexpr std::uint64_t kKernelLanes = 8;
constexpr std::uint32_t kMostHeads = 4096;
// Between two of the published places.
constexpr std::uint64_t kPlaceBytes = kKeyAddress - kQueryAddress;
static_assert(AttentionDesign::kLongest == kPlaceBytes / (kHeadDim * sizeof(float)));

}  // namespace

std::string AttentionSize::text() const {
  std::string all = fmt::format("{}x{}", sequence, head_dim);
  if (heads != 1) all = fmt::format("{} heads of {}", heads, all);
  if (rows() != sequence) all += fmt::format(", {} queries", rows());
  return causal ? all + ", causal" : all;
}

namespace {

/// What kernels of an element are compiled for.
struct Machine {
  Element operand = Element::kFp32;
  Element stored = Element::kFp32;  // by the matrix unit
  unsigned dim = 8, tile_m = 64, tile_n = 64, tile_k = 64;
  std::uint64_t shared_bytes = 256 * 1024, warps = 32;
};

Machine machine_of(const AttentionDesign& design) {
  if (design.element == Element::kFp32) return {};
  const bool coupled = design.unit == ComputeUnit::kTensorCore;
  // A matrix unit that only loads may be of any format with such words.
  const Element operand = design.unit == ComputeUnit::kMatrixUnit ? design.element : Element::kFp16;
  const Element stored = operand == Element::kFp16 ? Element::kFp16 : Element::kBf16;
  return {operand, stored, 16, 128, 64, 128, 128 * 1024, coupled ? 64U : 32U};
}

/// Elements along k that have the place of one of what the kernels are for.
unsigned elements_of_word(const Machine& machine) {
  return numeric::info(machine.stored).stored_bits / numeric::info(machine.operand).stored_bits;
}

/// What the kernels ask of the machine in addition to its warps.
std::vector<std::string> needs_of(const AttentionDesign& design) {
  const Machine machine = machine_of(design);
  const soc::SocParams any = soc::any_machine();
  const std::string unit = key_of(any, any.cluster.matrix_units.front()) + ".";
  const auto key = [](Element format) { return numeric::info(format).key; };
  std::vector<std::string> needs{
      fmt::format("{}dim={}", unit, machine.dim),
      fmt::format("{}operand={}", unit, key(machine.operand)),
      fmt::format("{}macs_per_cell={}", unit, elements_of_word(machine)),
      fmt::format("{}tile_m={}", unit, machine.tile_m),
      fmt::format("{}tile_n={}", unit, machine.tile_n),
      fmt::format("{}tile_k={}", unit, machine.tile_k),
      unit + "command_set=hexadecile",
      unit + "command_queue>=1",
      unit + "block_scales=false",
      unit + "accumulate=standard",
      fmt::format("{}={} KiB", key_of(any, any.cluster.shared_memory.size), machine.shared_bytes / 1024)};
  if (design.unit == ComputeUnit::kMatrixUnit)
    needs.push_back(fmt::format("{}result=standard|{}", unit, key(machine.stored)));
  needs.insert(needs.end(), design.needs.begin(), design.needs.end());
  for (std::string& need : tensor_core_needs(design.unit, design.element)) needs.push_back(std::move(need));
  return needs;
}

std::uint64_t warps_of(const soc::SocParams& params) {
  return params.clusters * params.cluster.cores * params.cluster.core.warps;
}

/// What the design asks of lanes, warps and cores that the machine does not have, with values that would do; empty:
/// nothing.
std::string unfit_warps(const AttentionDesign& design, const Machine& machine, const soc::SocParams& params) {
  const auto& core = params.cluster.core;
  std::vector<std::uint64_t> known(design.warps.begin(), design.warps.end());
  if (known.empty() || design.source.empty()) known = {machine.warps};
  const bool fits = std::find(known.begin(), known.end(), warps_of(params)) != known.end();
  // Groups of warps have as many of each core.
  const auto per_core = [&](std::uint64_t warps) {
    return warps % params.cluster.cores == 0 && warps / params.cluster.cores % 2 == 0 &&
           warps / params.cluster.cores <= 64;
  };
  if (params.clusters == 1 && core.lanes == kKernelLanes && fits && per_core(warps_of(params))) return {};
  std::string text =
      fmt::format("one cluster with {} warps of {} lanes in all, {} hardware threads",
                  fmt::join(known, " or "), kKernelLanes, fmt::format("{}", known.front() * kKernelLanes));
  if (known.size() > 1)
    text =
        fmt::format("one cluster with {} warps of {} lanes in all", fmt::join(known, " or "), kKernelLanes);
  std::vector<std::string> would;
  if (params.clusters != 1) would.emplace_back("clusters=1");
  if (core.lanes != kKernelLanes) would.push_back(setting(params, core.lanes, std::to_string(kKernelLanes)));
  if (!fits || !per_core(warps_of(params))) {
    const auto distance = [&](std::uint64_t warps) {
      return warps < warps_of(params) ? warps_of(params) - warps : warps - warps_of(params);
    };
    known.erase(std::remove_if(known.begin(), known.end(), [&](auto warps) { return !per_core(warps); }),
                known.end());
    const auto next = std::min_element(known.begin(), known.end(),
                                       [&](auto a, auto b) { return distance(a) < distance(b); });
    if (next != known.end())
      would.push_back(setting(params, core.warps, std::to_string(*next / params.cluster.cores)));
  }
  return would.empty() ? text : text + fmt::format(" ({} would do)", fmt::join(would, ", "));
}

}  // namespace

void AttentionDesign::check(const AttentionDesign& design, const config::Contradiction& contradiction) {
  check_needs(design.needs, contradiction);
}

void check_attention_machine(const AttentionDesign& design, const soc::SocParams& params) {
  std::vector<std::string> reasons = unmet(needs_of(design), params);
  if (std::string why = unfit_warps(design, machine_of(design), params); !why.empty())
    reasons.push_back(fmt::format("needs {}, which this configuration does not have", why));
  for (std::string& reason : reasons) reason = fmt::format("attention design {} {}", design.name, reason);
  if (!reasons.empty()) throw input::UserError(fmt::format("{}", fmt::join(reasons, "\n")));
}

void check_attention_size(const AttentionDesign& design, const AttentionSize& size, Exponential exponential) {
  if (size.head_dim != kHeadDim)
    throw input::UserError(
        fmt::format("head dimension {}: the attention kernels support only {}", size.head_dim, kHeadDim));
  const std::uint32_t longest = design.longest / kQueries * kQueries;
  if (size.sequence == 0 || size.sequence % kQueries != 0 || size.sequence > longest)
    throw input::UserError(
        fmt::format("sequence length {}: must be a multiple of {}, at most {} for design {}", size.sequence,
                    kQueries, longest, design.name));
  if (size.queries % kQueries != 0 || size.queries > size.sequence)
    throw input::UserError(fmt::format("{} queries: must be a multiple of {}, at most the sequence length {}",
                                       size.queries, kQueries, size.sequence));
  const std::uint64_t most = kPlaceBytes / (size.elements() * sizeof(float));  // of O, the largest of them
  if (size.heads == 0 || size.heads > std::min<std::uint64_t>(most, kMostHeads))
    throw input::UserError(
        fmt::format("{} heads: Q, K, V and O have {} MiB each; at most {} heads fit with {} keys", size.heads,
                    kPlaceBytes >> 20, std::min<std::uint64_t>(most, kMostHeads), size.sequence));
  if (size.causal && exponential == Exponential::kPolynomial)
    throw input::UserError(
        "causal attention needs --exponential exact: the polynomial 1 + x + x^2/2 does not go to 0, so "
        "masked keys would have a weight");
}

std::optional<std::vector<std::string>> attention_defines(const AttentionDesign& design,
                                                          const AttentionSize& size, Exponential exponential,
                                                          const soc::SocParams& params) {
  const bool other_machine = warps_of(params) != machine_of(design).warps;
  const bool other_element = element_note(design.element) != nullptr;
  if (!size.causal && size.heads == 1 && !other_machine && !other_element && !design.published_region)
    return std::nullopt;
  if (design.source.empty())
    throw input::UserError(fmt::format(
        "attention design {} has no source that could be compiled for {}, only a kernel for one head with all keys",
        design.name,
        size.causal       ? "causal attention"
        : size.heads != 1 ? "several heads"
        : other_element   ? "another element"
                          : "other warps"));
  std::vector<std::string> defines = design.defines;
  if (design.published_region) defines.emplace_back(kRegionDefine);
  if (exponential == Exponential::kPolynomial) defines.emplace_back("ATTENTION_POLYNOMIAL");
  if (size.causal) defines.emplace_back("ATTENTION_CAUSAL");
  if (size.heads != 1) defines.emplace_back("ATTENTION_HEADS");
  if (other_machine) {
    constexpr std::string_view kWarpsDefine = "ATTENTION_WARPS=";
    defines.erase(std::remove_if(defines.begin(), defines.end(),
                                 [&](const std::string& one) { return one.rfind(kWarpsDefine, 0) == 0; }),
                  defines.end());
    defines.push_back(fmt::format("{}{}", kWarpsDefine, warps_of(params)));
  }
  return defines;
}

const char* element_note(Element element) {
  switch (element) {
    case Element::kBf16: return "attention.bf16";
    case Element::kE4m3:
    case Element::kE5m2: return "attention.fp8";
    default: return nullptr;
  }
}

AttentionDesign in_element(AttentionDesign design, Element element, std::vector<std::string>& overrides) {
  if (design.element != Element::kFp16)
    throw input::UserError(
        fmt::format("attention design {} is for {} only", design.name, element_name(design.element)));
  design.element = element;
  design.defines.push_back("ATTENTION_" + element_name(element));
  const bool is_matrix_unit = design.unit == ComputeUnit::kMatrixUnit;
  const soc::SocParams any = soc::any_machine();
  const auto& unit = any.cluster.matrix_units.front();
  overrides.push_back(fmt::format(
      "{}={}", is_matrix_unit ? key_of(any, unit.operand) : key_of(any, any.cluster.tensor_core.operand),
      numeric::info(element).key));
  const unsigned elements = elements_of_word(machine_of(design));
  if (is_matrix_unit && elements != 1)
    overrides.push_back(setting(any, unit.macs_per_cell, std::to_string(elements)));
  return design;
}

Roundings roundings_of(const AttentionDesign& design, const soc::SocParams& params) {
  Roundings roundings = design.roundings;
  if (element_note(design.element) != nullptr) {
    roundings.probability_format = design.element;
    if (design.unit == ComputeUnit::kMatrixUnit) {
      roundings.product_format = machine_of(design).stored;
      roundings.product *= elements_of_word(machine_of(design));  // chains are as much longer, and fewer
    } else {
      roundings.product += std::exchange(roundings.half_product, 0);
    }
  }
  const std::uint64_t own = machine_of(design).warps, here = warps_of(params);
  if (here < own) roundings.sum *= static_cast<unsigned>((own + here - 1) / here);
  return roundings;
}

std::uint64_t peak_macs(const AttentionDesign& design, const soc::SocParams& params) {
  return peak_macs(design.unit, {0}, params);
}

AttentionOperands make_attention_operands(const AttentionSize& size, std::uint64_t seed, double spread,
                                          Element element, std::uint32_t head) {
  const std::uint64_t count = size.elements(), own_seed = 3 * (seed + (std::uint64_t{head} << 32));
  AttentionOperands operands;
  operands.q = make_operand(count, own_seed, element);
  operands.k = make_operand(count, own_seed + 1, element);
  operands.v = make_operand(count, own_seed + 2, element);
  for (float& value : operands.q) value *= static_cast<float>(spread);
  if (element != Element::kFp32) operands.q = rounded(std::move(operands.q), element);
  return operands;
}

AttentionOperands rounded(AttentionOperands operands, Element element) {
  for (std::vector<float>* matrix : {&operands.q, &operands.k, &operands.v})
    *matrix = rounded(std::move(*matrix), element);
  return operands;
}

AttentionMemory attention_memory(const AttentionDesign& design, const AttentionSize& size,
                                 const AttentionOperands& operands) {
  OperandLayout rows = OperandLayout::kAlongK, columns = OperandLayout::kAcross;
  if (design.layout == AttentionLayout::kSwizzled)
    rows = OperandLayout::kSwizzledA, columns = OperandLayout::kSwizzledB;
  if (design.layout == AttentionLayout::kDecoupled)
    rows = OperandLayout::kDecoupledA, columns = OperandLayout::kDecoupledB;
  const auto column_of = [&](std::uint64_t key) {
    if (design.layout != AttentionLayout::kDecoupled) return key;
    return key / 16 * 16 + key % 8 / 2 * 4 + key % 2 * 2 + key % 16 / 8;
  };
  std::vector<float> transposed(operands.k.size());
  for (std::uint64_t key = 0; key < size.sequence; ++key)
    for (std::uint64_t i = 0; i < size.head_dim; ++i)
      transposed[i * size.sequence + column_of(key)] = operands.k[key * size.head_dim + i];
  const std::uint32_t bits = numeric::info(design.element).stored_bits;
  const Packing packing{bits, bits < 16 ? 16 : bits};
  return {encoded(arranged_a(operands.q, size.sequence, size.head_dim, rows, packing), design.element),
          encoded(arranged_b(transposed, size.head_dim, size.sequence, columns, packing), design.element),
          encoded(arranged_b(operands.v, size.sequence, size.head_dim, columns, packing), design.element)};
}

std::vector<unsigned char> attention_arguments(const AttentionSize& size, Element element) {
  std::vector<unsigned char> block;
  const auto add = [&block](const auto& value) {
    const std::size_t at = block.size();
    block.resize(at + sizeof value);
    std::memcpy(&block[at], &value, sizeof value);
  };
  add(size.sequence);
  add(size.head_dim);
  for (const std::uint64_t address : {kQueryAddress, kKeyAddress, kValueAddress, kOutputAddress})
    add(address);
  add(size.queries);
  if (size.heads == 1) return block;
  add(size.heads);
  add(static_cast<std::uint32_t>(size.elements() * element_bytes(element)));
  add(static_cast<std::uint32_t>(size.elements() * sizeof(float)));
  return block;
}

}  // namespace spica::workloads
