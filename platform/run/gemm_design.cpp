// SPDX-License-Identifier: Apache-2.0
#include "platform/run/gemm_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "platform/loader/user_error.h"

namespace spica::run {

namespace {

const std::array<GemmDesign, 1> kDesigns{{
    {"virgo-dma", "virgo", "gemm_virgo_dma"},
}};

// Published operand places and where the stacks begin (facts 1.1).
constexpr std::uint64_t kOperandA = 0xA000'0000, kOperandB = 0xA100'0000, kResult = 0xC000'0000;
constexpr std::uint64_t kStacksBegin = 0xFE00'0000;
constexpr std::uint64_t kAlignment = 1 << 20;

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

void check_tiles(const GemmSize& size, const soc::SocParams& params) {
  if (params.cluster.matrix_units.empty())
    throw loader::UserError("this configuration has no matrix unit");
  const matrix_unit::MatrixUnitParams& unit = params.cluster.matrix_units.front();
  if (size.m % unit.tile_m != 0 || size.n % unit.tile_n != 0 || size.k % unit.tile_k != 0)
    throw loader::UserError(
        fmt::format("size {}: M, N and K must be multiples of the tile {}x{}x{}", size.text(),
                    unit.tile_m, unit.tile_n, unit.tile_k));
}

std::uint64_t peak_macs(const GemmDesign&, const soc::SocParams& params) {
  const matrix_unit::MatrixUnitParams& unit = params.cluster.matrix_units.front();
  return unit.dim * unit.dim;
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
