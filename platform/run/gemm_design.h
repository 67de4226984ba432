// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/run/arithmetic.h"
#include "platform/run/operands.h"
#include "platform/soc/soc_params.h"

namespace spica::run {

/// One way to compute a matrix product: a kernel on a configuration.
struct GemmDesign {
  std::string name;
  std::string config;
  std::string kernel;
  Arithmetic arithmetic;  // of the unit that computes
  bool uses_matrix_unit;  // for computing or as DMA
  bool a_column_major;    // how the kernel expects A in memory (C and B are row-major)
  GemmSize tile;          // m, n and k must be multiples of it
  std::vector<std::uint64_t> threads;  // hardware threads the kernel can share the work among; empty: any
};

/// The design of that name; throws UserError with the names there are.
const GemmDesign& gemm_design(const std::string& name);
std::vector<std::string> gemm_design_names();

/// Values of A and B that the design can have: random ones, FP16 numbers where it computes in FP16.
std::vector<float> make_design_operand(const GemmDesign& design, std::uint64_t count, std::uint64_t seed);
/// The bytes of A and of B as the design's kernel expects them in memory.
std::vector<unsigned char> a_in_memory(const GemmDesign& design, const GemmSize& size,
                                       const std::vector<float>& a);
std::vector<unsigned char> b_in_memory(const GemmDesign& design, const GemmSize& size,
                                       const std::vector<float>& b);

/// Throws UserError when the machine is not one the kernel can run on, or when m, n and k are no multiples
/// of the kernel's tile.
void check_tiles(const GemmDesign& design, const GemmSize& size, const soc::SocParams& params);

/// Multiply-accumulates per cycle of the unit the design computes on, or of all of them; what utilisation
/// refers to.
std::uint64_t peak_macs(const GemmDesign& design, const soc::SocParams& params);

/// Compares with the double-precision bound and bit by bit with the arithmetic of the design.
GemmCheck check_design(const GemmDesign& design, const soc::SocParams& params, const GemmSize& size,
                       const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c);

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
