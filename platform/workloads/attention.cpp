// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/attention.h"

#include <fmt/format.h>

#include <cstring>

#include "platform/loader/user_error.h"

namespace spica::workloads {

namespace {

// What all kernels are compiled for: two groups of 64 queries in flight.
constexpr std::uint32_t kHeadDim = 64, kQueries = 128;
constexpr std::uint64_t kKernelLanes = 8;
// Between two of the published places.
constexpr std::uint64_t kPlaceBytes = kKeyAddress - kQueryAddress;
static_assert(AttentionDesign::kLongest == kPlaceBytes / (kHeadDim * sizeof(float)));

}  // namespace

std::string AttentionSize::text() const {
  const std::string all = fmt::format("{}x{}", sequence, head_dim);
  return rows() == sequence ? all : fmt::format("{}, {} queries", all, rows());
}

namespace {

/// What kernels of an element are compiled for.
struct Machine {
  Element operand = Element::kFp32;
  unsigned dim = 8, tile_m = 64, tile_n = 64, tile_k = 64;
  std::uint64_t shared_bytes = 256 * 1024, threads = 256;
};

Machine machine_of(const AttentionDesign& design) {
  if (design.element == Element::kFp32) return {};
  const bool coupled = design.unit == ComputeUnit::kTensorCore;
  return {Element::kFp16, 16, 128, 64, 128, 128 * 1024, coupled ? 512U : 256U};
}

std::string unit_text(const Machine& machine) {
  return fmt::format(
      "{} {}x{} {} matrix unit with tiles of {}x{}x{}, hexadecile commands and a command queue",
      machine.dim == 8 ? "an" : "a", machine.dim, machine.dim,
      machine.operand == Element::kFp16 ? "FP16" : "FP32", machine.tile_m, machine.tile_n, machine.tile_k);
}

bool has_unit(const Machine& machine, const cluster::ClusterParams& cluster) {
  if (cluster.matrix_units.empty()) return false;
  const auto& unit = cluster.matrix_units.front();
  return (unit.element_bytes() == 2) == (machine.operand == Element::kFp16) && unit.dim == machine.dim &&
         unit.tile_m == machine.tile_m && unit.tile_n == machine.tile_n && unit.tile_k == machine.tile_k &&
         unit.command_set_name() == "hexadecile" && unit.command_queue != 0;
}

}  // namespace

void check_attention_machine(const AttentionDesign& design, const soc::SocParams& params) {
  const cluster::ClusterParams& cluster = params.cluster;
  const Machine machine = machine_of(design);
  std::vector<std::string> wrong;
  if (!has_unit(machine, cluster)) wrong.push_back(unit_text(machine));
  if (cluster.shared_memory.size != machine.shared_bytes)
    wrong.push_back(fmt::format("{} KiB of shared memory", machine.shared_bytes / 1024));
  if (cluster.core.lanes != kKernelLanes ||
      params.clusters * cluster.cores * cluster.core.warps * cluster.core.lanes != machine.threads ||
      params.clusters != 1)
    wrong.push_back(
        fmt::format("one cluster with {} hardware threads in warps of {}", machine.threads, kKernelLanes));
  if (!has_tensor_cores(design.unit, design.element, params))
    wrong.push_back(fmt::format("{}tensor cores for {}",
                                design.unit == ComputeUnit::kDecoupledTensorCore ? "decoupled " : "",
                                element_name(design.element)));
  if (design.merged_loads && !cluster.core.load_store.merge_duplicates)
    wrong.push_back(
        "one answer for lanes that load the same word (cluster.core.load_store.merge_duplicates)");
  if (!wrong.empty())
    throw loader::UserError(
        fmt::format("attention design {} needs {}, which this configuration does not have", design.name,
                    fmt::join(wrong, ", and ")));
}

void check_attention_size(const AttentionDesign& design, const AttentionSize& size) {
  if (size.head_dim != kHeadDim)
    throw loader::UserError(
        fmt::format("head dimension {}: the attention kernels support only {}", size.head_dim, kHeadDim));
  const std::uint32_t longest = design.longest / kQueries * kQueries;
  if (size.sequence == 0 || size.sequence % kQueries != 0 || size.sequence > longest)
    throw loader::UserError(
        fmt::format("sequence length {}: must be a multiple of {}, at most {} for design {}", size.sequence,
                    kQueries, longest, design.name));
  if (size.queries % kQueries != 0 || size.queries > size.sequence)
    throw loader::UserError(
        fmt::format("{} queries: must be a multiple of {}, at most the sequence length {}", size.queries,
                    kQueries, size.sequence));
}

std::uint64_t peak_macs(const AttentionDesign& design, const soc::SocParams& params) {
  return peak_macs(design.unit, {0}, params);
}

AttentionOperands make_attention_operands(const AttentionSize& size, std::uint64_t seed, double spread,
                                          Element element) {
  const std::uint64_t count = std::uint64_t{size.sequence} * size.head_dim;
  AttentionOperands operands;
  operands.q = make_operand(count, 3 * seed, element);
  operands.k = make_operand(count, 3 * seed + 1, element);
  operands.v = make_operand(count, 3 * seed + 2, element);
  for (float& value : operands.q) value *= static_cast<float>(spread);
  if (element == Element::kFp16) operands.q = decoded(encoded(operands.q, element), element);
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
  return {encoded(arranged_a(operands.q, size.sequence, size.head_dim, rows), design.element),
          encoded(arranged_b(transposed, size.head_dim, size.sequence, columns), design.element),
          encoded(arranged_b(operands.v, size.sequence, size.head_dim, columns), design.element)};
}

std::vector<unsigned char> attention_arguments(const AttentionSize& size) {
  const std::uint32_t sizes[2] = {size.sequence, size.head_dim};
  const std::uint64_t addresses[4] = {kQueryAddress, kKeyAddress, kValueAddress, kOutputAddress};
  std::vector<unsigned char> block(sizeof sizes + sizeof addresses + sizeof size.queries);
  std::memcpy(block.data(), sizes, sizeof sizes);
  std::memcpy(block.data() + sizeof sizes, addresses, sizeof addresses);
  std::memcpy(block.data() + sizeof sizes + sizeof addresses, &size.queries, sizeof size.queries);
  return block;
}

}  // namespace spica::workloads
