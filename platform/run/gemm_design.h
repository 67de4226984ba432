// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/run/operands.h"
#include "platform/soc/soc_params.h"

namespace spica::run {

/// One way to compute a matrix product: a kernel on a configuration.
struct GemmDesign {
  std::string name;
  std::string config;
  std::string kernel;
};

/// The design of that name; throws UserError with the names there are.
const GemmDesign& gemm_design(const std::string& name);
std::vector<std::string> gemm_design_names();

/// Throws UserError unless m, n and k are multiples of the tile of the (first) matrix unit.
void check_tiles(const GemmSize& size, const soc::SocParams& params);

/// Multiply-accumulates per cycle of the unit the design computes on; what utilisation refers to.
std::uint64_t peak_macs(const GemmDesign& design, const soc::SocParams& params);

/// Where the operands stand in global memory: the published places (facts 1.2) while they fit, else one
/// behind the other.
struct GemmLayout {
  std::uint64_t a = 0, b = 0, c = 0;
};
/// Throws UserError when the three matrices do not fit below the stacks.
GemmLayout layout_of(const GemmSize& size, const soc::SocParams& params);

/// The 40-byte argument block of the matrix-product kernels (facts 1.2).
std::vector<unsigned char> argument_block(const GemmSize& size, const GemmLayout& layout);

}  // namespace spica::run
