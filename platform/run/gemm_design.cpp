// SPDX-License-Identifier: Apache-2.0
#include "platform/run/gemm_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "platform/loader/user_error.h"
#include "platform/run/fp16_trees.h"

namespace spica::run {

namespace {

// The tensor-core kernels and the CISC commands of the others work on tiles of 64 x 64 x 64.
constexpr GemmSize kTile{64, 64, 64};
constexpr GemmSize kHalfTile{128, 64, 128};  // with the FP16 unit
const std::array<GemmDesign, 5> kDesigns{{
    {"tc", "virgo", "gemm_tc", Arithmetic::kPairs, false, false, kTile, {256}},
    {"tc-dma", "virgo", "gemm_tc_dma", Arithmetic::kPairs, true, true, kTile, {256}},
    {"virgo", "virgo", "gemm_virgo", Arithmetic::kFusedChains, true, false, kTile, {64, 128, 256, 512}},
    {"virgo-dma", "virgo", "gemm_virgo_dma", Arithmetic::kFusedChains, true, false, kTile, {}},
    {"fp16-hopper", "fp16-hopper", "gemm_fp16_hopper", Arithmetic::kHalfTrees, true, false, kHalfTile, {256}},
}};

// Lanes of a warp that the kernels with fixed shares of work are written for.
constexpr std::uint64_t kLanes = 8;


// Published operand places and where the stacks begin (facts 1.1).
constexpr std::uint64_t kOperandA = 0xA000'0000, kOperandB = 0xA100'0000, kResult = 0xC000'0000;
constexpr std::uint64_t kStacksBegin = 0xFE00'0000;
constexpr std::uint64_t kAlignment = 1 << 20;

void check_threads(const GemmDesign& design, const soc::SocParams& params) {
  const std::vector<std::uint64_t>& fits = design.threads;
  if (fits.empty()) return;
  const std::uint64_t warps = params.clusters * params.cluster.cores * params.cluster.core.warps;
  const std::uint64_t lanes = params.cluster.core.lanes;
  if (lanes == kLanes && std::find(fits.begin(), fits.end(), warps * lanes) != fits.end()) return;
  throw loader::UserError(
      fmt::format("design {} is for {} hardware threads in warps of {}; this machine has {} in warps of {}",
                  design.name, fmt::join(fits, ", "), kLanes, warps * lanes, lanes));
}

std::uint64_t behind(std::uint64_t address, std::uint64_t bytes) {
  return (address + bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

const GemmDesign& gemm_design(const std::string& name) {
  for (const GemmDesign& design : kDesigns)
    if (design.name == name) return design;
  throw loader::UserError(fmt::format("there is no design '{}'", name));
}

std::vector<std::string> gemm_design_names() {
  std::vector<std::string> names;
  for (const GemmDesign& design : kDesigns) names.push_back(design.name);
  return names;
}

std::vector<float> make_design_operand(const GemmDesign& design, std::uint64_t count, std::uint64_t seed) {
  std::vector<float> values = make_operand(count, seed);
  if (design.arithmetic == Arithmetic::kHalfTrees) round_to_halves(values);
  return values;
}

namespace {

template <class Element>
std::vector<unsigned char> bytes_of(const std::vector<Element>& values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(Element));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

std::vector<unsigned char> a_in_memory(const GemmDesign& design, const GemmSize& size,
                                       const std::vector<float>& a) {
  if (design.arithmetic == Arithmetic::kHalfTrees) return bytes_of(hgmma_layout_a(size, a));
  return bytes_of(design.a_column_major ? transposed(a, size.m, size.k) : a);
}

std::vector<unsigned char> b_in_memory(const GemmDesign& design, const GemmSize& size,
                                       const std::vector<float>& b) {
  return design.arithmetic == Arithmetic::kHalfTrees ? bytes_of(hgmma_layout_b(size, b)) : bytes_of(b);
}

void check_tiles(const GemmDesign& design, const GemmSize& size, const soc::SocParams& params) {
  if (design.uses_matrix_unit) {
    if (params.cluster.matrix_units.empty())
      throw loader::UserError(
          fmt::format("design {} needs a matrix unit, this configuration has none", design.name));
    const matrix_unit::MatrixUnitParams& unit = params.cluster.matrix_units.front();
    const bool halves = design.arithmetic == Arithmetic::kHalfTrees;
    const auto format = halves ? matrix_unit::OperandFormat::kFp16 : matrix_unit::OperandFormat::kFp32;
    if (unit.operand != format || unit.tile_m != design.tile.m ||
        unit.tile_n != design.tile.n || unit.tile_k != design.tile.k)
      throw loader::UserError(fmt::format(
          "design {} needs a matrix unit for {} and tiles of {}", design.name, halves ? "FP16" : "FP32",
          design.tile.text()));
  }
  check_threads(design, params);
  const tensor_core::TensorCoreParams& tensor = params.cluster.tensor_core;
  if (design.arithmetic == Arithmetic::kPairs &&
      (!tensor.synchronous() || tensor.operand == tensor_core::Operand::kFp16))
    throw loader::UserError(fmt::format("design {} needs synchronous tensor cores for FP32", design.name));
  if (design.arithmetic == Arithmetic::kHalfTrees &&
      (!tensor.is_decoupled() || tensor.operand != tensor_core::Operand::kFp16))
    throw loader::UserError(fmt::format("design {} needs decoupled tensor cores for FP16", design.name));
  if (size.m % design.tile.m != 0 || size.n % design.tile.n != 0 || size.k % design.tile.k != 0)
    throw loader::UserError(fmt::format("size {}: M, N and K must be multiples of the tile {} of design {}",
                                        size.text(), design.tile.text(), design.name));
}

std::uint64_t peak_macs(const GemmDesign& design, const soc::SocParams& params) {
  if (design.arithmetic != Arithmetic::kFusedChains)
    return params.cluster.tensor_core.macs_per_cycle() * params.cluster.cores * params.clusters;
  const matrix_unit::MatrixUnitParams& unit = params.cluster.matrix_units.front();
  return unit.dim * unit.dim;
}

GemmCheck check_design(const GemmDesign& design, const soc::SocParams& params, const GemmSize& size,
                       const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c) {
  if (design.arithmetic == Arithmetic::kHalfTrees) {
    const ErrorBound bound = half_tree_bound(size.k);
    GemmCheck check = check_gemm(size, a, b, c, bound.relative, bound.absolute);
    check.different_bits = different_elements(exact_half_trees(size, a, b), c);
    check.correct = check.correct && check.different_bits == 0;
    return check;
  }
  GemmCheck check = check_gemm(size, a, b, c);
  const unsigned chain = design.arithmetic == Arithmetic::kFusedChains
                             ? static_cast<unsigned>(params.cluster.matrix_units.front().dim)
                             : 1;
  check.different_bits =
      different_elements(exact_product(size, a, b, design.arithmetic, chain), c);
  check.correct = check.correct && check.different_bits == 0;
  return check;
}

GemmLayout layout_of(const GemmSize& size, const soc::SocParams&) {
  GemmLayout layout;
  layout.a = kOperandA;
  layout.b = std::max(kOperandB, behind(layout.a, std::uint64_t{size.m} * size.k * sizeof(float)));
  layout.c = std::max(kResult, behind(layout.b, std::uint64_t{size.k} * size.n * sizeof(float)));
  if (layout.c + std::uint64_t{size.m} * size.n * sizeof(float) > kStacksBegin)
    throw loader::UserError(fmt::format("size {}: the matrices do not fit into memory", size.text()));
  return layout;
}

std::vector<unsigned char> argument_block(const GemmSize& size, const GemmLayout& layout) {
  std::vector<unsigned char> block(40, 0);
  const std::uint32_t sizes[3] = {size.m, size.n, size.k};
  const std::uint64_t addresses[3] = {layout.a, layout.b, layout.c};
  std::memcpy(&block[0], sizes, sizeof sizes);
  std::memcpy(&block[16], addresses, sizeof addresses);
  return block;
}

}  // namespace spica::run
