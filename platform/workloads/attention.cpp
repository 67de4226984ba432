// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/attention.h"

#include <fmt/format.h>

#include <cstring>

#include "platform/loader/user_error.h"

namespace spica::workloads {

namespace {

// What the kernels are compiled for: two groups of 64 queries in flight, tiles of 64 x 64.
constexpr std::uint32_t kHeadDim = 64, kQueries = 128;
constexpr std::uint64_t kKernelTile = 64, kKernelThreads = 256, kKernelLanes = 8, kSharedBytes = 256 * 1024;
// Between two of the published places.
constexpr std::uint64_t kPlaceBytes = kKeyAddress - kQueryAddress;
static_assert(AttentionDesign::kLongest == kPlaceBytes / (kHeadDim * sizeof(float)));

}  // namespace

std::string AttentionSize::text() const {
  const std::string all = fmt::format("{}x{}", sequence, head_dim);
  return rows() == sequence ? all : fmt::format("{}, {} queries", all, rows());
}

void check_attention_machine(const AttentionDesign& design, const soc::SocParams& params) {
  const cluster::ClusterParams& cluster = params.cluster;
  std::vector<std::string> wrong;
  const bool has_unit = !cluster.matrix_units.empty();
  const matrix_unit::MatrixUnitParams unit =
      has_unit ? cluster.matrix_units.front() : matrix_unit::MatrixUnitParams{};
  if (!has_unit || unit.operand != matrix_unit::OperandFormat::kFp32 || unit.dim != kKernelLanes ||
      unit.tile_m != kKernelTile || unit.tile_n != kKernelTile || unit.tile_k != kKernelTile ||
      unit.command_set != matrix_unit::CommandSet::kHexadecile || unit.command_queue == 0)
    wrong.push_back(
        "an 8x8 FP32 matrix unit with tiles of 64x64x64, hexadecile commands and a command queue");
  if (cluster.shared_memory.size != kSharedBytes)
    wrong.push_back(fmt::format("{} KiB of shared memory", kSharedBytes / 1024));
  if (cluster.core.lanes != kKernelLanes ||
      params.clusters * cluster.cores * cluster.core.warps * cluster.core.lanes != kKernelThreads ||
      params.clusters != 1)
    wrong.push_back(
        fmt::format("one cluster with {} hardware threads in warps of {}", kKernelThreads, kKernelLanes));
  if (design.unit == ComputeUnit::kTensorCore &&
      (!cluster.tensor_core.present || cluster.tensor_core.operand == tensor_core::Operand::kFp16))
    wrong.push_back("tensor cores for FP32");
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

AttentionOperands make_attention_operands(const AttentionSize& size, std::uint64_t seed, double spread) {
  const std::uint64_t count = std::uint64_t{size.sequence} * size.head_dim;
  AttentionOperands operands;
  operands.q = make_operand(count, 3 * seed);
  operands.k = make_operand(count, 3 * seed + 1);
  operands.v = make_operand(count, 3 * seed + 2);
  for (float& value : operands.q) value *= static_cast<float>(spread);
  return operands;
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
