// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/gemm_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "platform/loader/user_error.h"

namespace spica::workloads {

namespace {

constexpr auto kAcross = OperandLayout::kAcross, kAlongK = OperandLayout::kAlongK;
constexpr auto kPairsAcross = OperandLayout::kPairsAcross;
constexpr auto kTensor = ComputeUnit::kTensorCore, kMatrix = ComputeUnit::kMatrixUnit;
constexpr auto kFp32 = Element::kFp32, kFp16 = Element::kFp16;

// The machines of the kernels.
constexpr GemmSize kTile{64, 64, 64};
constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();
constexpr KernelTarget kVirgo{};  // first revision
constexpr KernelTarget kBigAndLittle{kFp32, true, 8, false, {64, 64, 64}, 64 * 1024, 4};
constexpr KernelTarget kSmall{kFp32, true, 8, false, {32, 32, 32}, 16 * 1024};
constexpr KernelTarget kV2{kFp32, true, 8, true, kTile, 256 * 1024};
constexpr GemmSize kTile16{128, 64, 128};
constexpr KernelTarget kHalfQuartile{kFp16, true, 16, false, kTile16, 128 * 1024};
constexpr KernelTarget kHalf{kFp16, true, 16, true, kTile16, 128 * 1024};
constexpr KernelTarget kHalfNoUnit{kFp16, false, 0, false, {}, 128 * 1024};
constexpr KernelTarget kNoUnit{kFp32, false, 0, false, {}, 64 * 1024};

const std::vector<GemmDesign>& designs() {
  // clang-format off: a row for each design
  static const std::vector<GemmDesign> all{
      {"tc", "virgo", "gemm_tc", kTensor, kNoUnit, kFp32, kAlongK, kAcross, kTile, {256}, {}},
      {"tc-dma", "virgo", "gemm_tc_dma", kTensor, kVirgo, kFp32, kAcross, kAcross, kTile, {256}, {}},
      {"virgo", "virgo", "gemm_virgo", kMatrix, kVirgo, kFp32, kAlongK, kAcross, kTile,
       {64, 128, 256, 512}, {}},
      {"virgo-dma", "virgo", "gemm_virgo_dma", kMatrix, kVirgo, kFp32, kAlongK, kAcross, kTile, {},
       {"virgo", "virgo-dual"}},
      {"simt", "virgo", "gemm_simt", ComputeUnit::kLanes, kNoUnit, kFp32, kAlongK, kAcross, {4, 32, 1}, {}, {}},
      {"tc-dma-swish", "virgo", "gemm_tc_dma_swish", kTensor, kVirgo, kFp32, kAcross, kAcross, kTile, {256}, {},
       Activation::kSwish},
      {"virgo-dma-swish", "virgo", "gemm_virgo_dma_swish", kMatrix, kVirgo, kFp32, kAlongK, kAcross, kTile, {256},
       {}, Activation::kSwish, 4, 4},
      {"dual-serial", "virgo-dual", "gemm_virgo_dual", kMatrix, kBigAndLittle, kFp32, kAlongK, kAcross, kTile, {},
       {}, Activation::kNone, 2, kAnyNumber, {0, 0}},
      {"dual-parallel", "virgo-dual", "gemm_virgo_dual", kMatrix, kBigAndLittle, kFp32, kAlongK, kAcross, kTile,
       {}, {}, Activation::kNone, 2, kAnyNumber, {0, 1}},
      {"virgo-16k", "virgo-16k", "gemm_virgo_dma_16k", kMatrix, kSmall, kFp32, kAlongK, kAcross,
       kSmall.tile, {}, {"virgo-16k"}},
      {"virgo-v2", "attention", "gemm_virgo_dma_v2", kMatrix, kV2, kFp32, kAlongK, kAcross, kTile, {},
       {"attention"}},
      {"fp16-quartile", "fp16-quartile", "gemm_virgo_dma_fp16_quartile", kMatrix, kHalfQuartile, kFp16,
       kAlongK, kAcross, kTile16, {}, {"fp16-quartile"}},
      {"fp16-volta", "fp16-volta", "gemm_fp16_volta", kTensor, kHalfNoUnit, kFp32, kAlongK, kPairsAcross, kTile16,
       {512}, {"fp16-volta", "fp16-volta-quartile"}},
      {"fp16-ampere", "fp16-ampere", "gemm_fp16_ampere", kTensor, kHalf, kFp32, kPairsAcross, kPairsAcross,
       kTile16, {512}, {"fp16-ampere"}},
      {"fp16-hopper", "fp16-hopper", "gemm_fp16_hopper", ComputeUnit::kDecoupledTensorCore, kHalf, kFp32,
       OperandLayout::kDecoupledA, OperandLayout::kDecoupledB, kTile16, {256}, {"fp16-hopper"}},
      {"fp16-ampere-quartile", "fp16-ampere-quartile", "gemm_fp16_ampere_quartile", kTensor, kHalfQuartile, kFp32,
       kPairsAcross, kPairsAcross, kTile16, {512}, {"fp16-ampere-quartile"}},
      {"fp16-hopper-quartile", "fp16-hopper-quartile", "gemm_fp16_hopper_quartile",
       ComputeUnit::kDecoupledTensorCore, kHalfQuartile, kFp32, OperandLayout::kDecoupledA,
       OperandLayout::kDecoupledB, kTile16, {256}, {"fp16-hopper-quartile"}},
      {"fp16-virgo-simt", "fp16-virgo", "gemm_virgo_fp16", kMatrix, kHalf, kFp16, kAlongK, kAcross, kTile16,
       {128, 256, 512}, {}},
      {"fp16-virgo", "fp16-virgo", "gemm_virgo_dma_fp16", kMatrix, kHalf, kFp16, kAlongK, kAcross, kTile16, {},
       {"fp16-virgo"}},
  };
  // clang-format on
  return all;
}

// Lanes of a warp that the kernels with fixed shares of work are written for.
constexpr std::uint64_t kLanes = 8;

// Published operand places and where the stacks begin (runtime linker/vx_link32.ld).
constexpr std::uint64_t kOperandA = 0xA000'0000, kOperandB = 0xA100'0000, kResult = 0xC000'0000;
constexpr std::uint64_t kStacksBegin = 0xFE00'0000;
constexpr std::uint64_t kAlignment = 1 << 20;

// What two products are of in the published comparison of two units (papers.md 1).
constexpr const char* kUsualSize = "256x256x256";
constexpr const char* kUsualSecondSize = "+128x128x256";

/// What a program cannot find out, in words.
std::string describe(const KernelTarget& target) {
  return fmt::format("{} {}x{}, {} commands, tiles of {}", element_name(target.element), target.dim,
                     target.dim, target.hexadecile ? "hexadecile" : "quartile", target.tile.text());
}

KernelTarget target_of(const matrix_unit::MatrixUnitParams& unit, std::uint64_t shared_bytes) {
  KernelTarget target;
  target.element = unit.operand == matrix_unit::OperandFormat::kFp16 ? Element::kFp16 : Element::kFp32;
  target.dim = static_cast<unsigned>(unit.dim);
  target.hexadecile = unit.command_set == matrix_unit::CommandSet::kHexadecile;
  target.tile = {static_cast<std::uint32_t>(unit.tile_m), static_cast<std::uint32_t>(unit.tile_n),
                 static_cast<std::uint32_t>(unit.tile_k)};
  target.shared_bytes = shared_bytes;
  return target;
}

/// Why the kernel cannot run on this machine; empty: it can.
std::string unfit(const GemmDesign& design, const soc::SocParams& params) {
  const cluster::ClusterParams& cluster = params.cluster;
  const KernelTarget& target = design.target;
  if (target.matrix_unit) {
    if (cluster.matrix_units.empty()) return "needs a matrix unit, this machine has none";
    const KernelTarget machine = target_of(cluster.matrix_units.front(), cluster.shared_memory.size);
    if (describe(machine) != describe(target))
      return fmt::format("needs a matrix unit {}; this machine's is {}", describe(target), describe(machine));
  }
  if (target.second_dim != 0) {
    const auto& units = cluster.matrix_units;
    if (units.size() < 2) return "needs a second matrix unit, this machine has one";
    if (units[1].dim != target.second_dim || units[1].operand != units[0].operand ||
        units[1].accumulator_bytes < std::uint64_t{4} * target.tile.m * target.tile.n)
      return fmt::format("needs as matrix unit 1 a {} {}x{} with sums of {}x{}; this machine's is {} {}x{}",
                         element_name(target.element), target.second_dim, target.second_dim, target.tile.m,
                         target.tile.n, element_name(target_of(units[1], 0).element), units[1].dim,
                         units[1].dim);
  }
  if (params.clusters != 1)
    return fmt::format("uses one cluster; this machine has {}: --set clusters=1", params.clusters);
  const std::vector<std::uint64_t>& fits = design.threads;
  const std::uint64_t lanes = cluster.core.lanes;
  const std::uint64_t threads = params.clusters * cluster.cores * cluster.core.warps * lanes;
  if (!fits.empty() && (lanes != kLanes || std::find(fits.begin(), fits.end(), threads) == fits.end()))
    return fmt::format("is for {} hardware threads in warps of {}; this machine has {} in warps of {}",
                       fmt::join(fits, ", "), kLanes, threads, lanes);
  const std::uint64_t cores = params.clusters * cluster.cores;
  if (cores < design.least_cores || cores > design.most_cores)
    return fmt::format("needs {} {} cores; this machine has {}",
                       design.least_cores == design.most_cores ? "exactly" : "at least", design.least_cores,
                       cores);
  const bool fp16 = cluster.tensor_core.operand == tensor_core::Operand::kFp16;
  const bool decoupled = design.unit == ComputeUnit::kDecoupledTensorCore;
  const bool tensor_core = design.unit == ComputeUnit::kTensorCore || decoupled;
  if (tensor_core && (!cluster.tensor_core.present || decoupled != cluster.tensor_core.is_decoupled() ||
                      fp16 != (target.element == Element::kFp16)))
    return fmt::format("needs {} tensor cores for {}", decoupled ? "decoupled" : "synchronous",
                       element_name(target.element));
  if (cluster.shared_memory.size != target.shared_bytes)
    return fmt::format("is compiled for {} bytes of shared memory; this machine has {}", target.shared_bytes,
                       cluster.shared_memory.size);
  return {};
}

Arithmetic arithmetic_of(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                         const GemmSize& size) {
  const Element element = design.target.element;
  switch (design.unit) {
    case ComputeUnit::kTensorCore: return Arithmetic::tensor_core(element);
    case ComputeUnit::kDecoupledTensorCore: return Arithmetic::decoupled_tensor_core(element);
    case ComputeUnit::kLanes:  // one chain from the first product to the last
      return {Arithmetic::Kind::kFusedChains, size.k, element, design.result};
    case ComputeUnit::kMatrixUnit: break;
  }
  return Arithmetic::matrix_unit(
      element, static_cast<unsigned>(params.cluster.matrix_units[design.units[product]].dim));
}

std::uint64_t behind(std::uint64_t address, std::uint64_t bytes) {
  return (address + bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

const GemmDesign& gemm_design(const std::string& name) {
  for (const GemmDesign& design : designs())
    if (design.name == name) return design;
  throw loader::UserError(
      fmt::format("unknown design '{}'; known: {}", name, fmt::join(gemm_design_names(), ", ")));
}

std::vector<std::string> gemm_design_names() {
  std::vector<std::string> names;
  for (const GemmDesign& design : designs()) names.push_back(design.name);
  return names;
}

const GemmDesign& design_for(const std::string& config, const soc::SocParams& params) {
  const std::string name = std::filesystem::path(config).stem().string();
  for (const GemmDesign& design : designs())
    for (const std::string& own : design.standard)
      if (own == name) return design;
  for (const GemmDesign& design : designs())
    if (!design.standard.empty() && unfit(design, params).empty()) return design;
  throw loader::UserError(fmt::format("no design fits configuration {}; choose one with --design: {}", config,
                                      fmt::join(gemm_design_names(), ", ")));
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
  std::string usual = kUsualSize;
  for (std::size_t i = 1; i < design.units.size(); ++i) usual += kUsualSecondSize;
  const std::vector<GemmSize> sizes = parse_gemm_sizes(text.empty() ? usual : text);
  if (sizes.size() != design.units.size())
    throw loader::UserError(fmt::format("size '{}': design {} computes {} product{}, for example {}", text,
                                        design.name, design.units.size(), design.units.size() == 1 ? "" : "s",
                                        usual));
  for (const GemmSize& size : sizes) check_tiles(design, size);
  return sizes;
}

std::uint64_t peak_macs(const GemmDesign& design, const soc::SocParams& params) {
  const std::uint64_t cores = params.cluster.cores * params.clusters;
  switch (design.unit) {
    case ComputeUnit::kTensorCore:
    case ComputeUnit::kDecoupledTensorCore: return params.cluster.tensor_core.macs_per_cycle() * cores;
    case ComputeUnit::kLanes: return params.cluster.core.lanes * params.cluster.core.fpu_blocks * cores;
    case ComputeUnit::kMatrixUnit: break;
  }
  std::uint64_t peak = 0;
  for (const unsigned number : std::set<unsigned>(design.units.begin(), design.units.end())) {
    const matrix_unit::MatrixUnitParams& unit = params.cluster.matrix_units[number];
    peak += unit.dim * unit.dim;
  }
  return peak;
}

GemmCheck check_design(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                       const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c) {
  const Arithmetic arithmetic = arithmetic_of(design, params, product, size);
  const Activation activation = design.activation;
  GemmCheck check = check_gemm(size, a, b, c, activated(activation, tolerance_of(arithmetic, size.k)),
                               [activation](double sum) { return activated(activation, sum); });
  check.different_bits = different_elements(activation, exact_product(size, a, b, arithmetic), c);
  check.correct = check.correct && check.different_bits == 0;
  return check;
}

std::vector<GemmLayout> layouts_of(const GemmDesign& design, const std::vector<GemmSize>& sizes) {
  const std::uint64_t operand = element_bytes(design.target.element), result = element_bytes(design.result);
  std::vector<GemmLayout> layouts(sizes.size());
  std::uint64_t next = kOperandA, end = 0;
  const auto place = [&](std::uint64_t& address, std::uint64_t elements, std::uint64_t bytes) {
    address = next;
    end = next + elements * bytes;
    next = behind(end, 0);
  };
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].a, std::uint64_t{sizes[i].m} * sizes[i].k, operand);
  next = std::max(kOperandB, next);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].b, std::uint64_t{sizes[i].k} * sizes[i].n, operand);
  next = std::max(kResult, next);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].c, std::uint64_t{sizes[i].m} * sizes[i].n, result);
  if (end > kStacksBegin) {
    std::vector<std::string> texts;
    for (const GemmSize& size : sizes) texts.push_back(size.text());
    throw loader::UserError(
        fmt::format("size {}: the matrices do not fit into memory", fmt::join(texts, "+")));
  }
  return layouts;
}

std::vector<unsigned char> argument_block(const GemmDesign& design, const std::vector<GemmSize>& sizes,
                                          const std::vector<GemmLayout>& layouts) {
  constexpr std::size_t kBytes = 40;
  std::vector<unsigned char> block(kBytes * sizes.size(), 0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::uint32_t words[4] = {sizes[i].m, sizes[i].n, sizes[i].k, design.units[i]};
    const std::uint64_t addresses[3] = {layouts[i].a, layouts[i].b, layouts[i].c};
    std::memcpy(&block[kBytes * i], words, sizeof words);
    std::memcpy(&block[kBytes * i + sizeof words], addresses, sizeof addresses);
  }
  return block;
}

}  // namespace spica::workloads
