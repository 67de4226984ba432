// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "platform/soc/soc_params.h"
#include "platform/workloads/activation.h"
#include "platform/workloads/arithmetic.h"
#include "platform/workloads/operand_layout.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// Which unit multiplies.
enum class ComputeUnit : std::uint8_t { kTensorCore, kDecoupledTensorCore, kMatrixUnit, kLanes };

/// The machine a kernel is compiled for, as far as a program cannot query it.
struct KernelTarget {
  Element element = Element::kFp32;  // of A and B
  bool matrix_unit = true;           // used for computing or as DMA
  unsigned dim = 8;                  // of the matrix unit
  bool hexadecile = false;           // its commands
  GemmSize tile{64, 64, 64};         // that its commands work on
  std::uint64_t shared_bytes = 64 * 1024;
  unsigned second_dim = 0;           // of unit 1; 0: not used
};

/// One way to compute a matrix product, or several: a kernel on a configuration.
struct GemmDesign {
  std::string name;
  std::string config;
  std::string kernel;
  ComputeUnit unit;
  KernelTarget target;
  Element result;       // of C, which is row-major
  OperandLayout a, b;   // how the kernel expects the operands in memory
  GemmSize tile;        // m, n and k must be multiples of it
  std::vector<std::uint64_t> threads;  // hardware threads the kernel can share the work among; empty: any
  std::vector<std::string> standard;   // configurations for which it is the one to take
  Activation activation = Activation::kNone;
  std::uint64_t least_cores = 1, most_cores = std::numeric_limits<std::uint64_t>::max();  // of the machine
  std::vector<unsigned> units{0};  // for each product the number of the matrix unit that computes it
};

/// The design of that name; throws UserError with the names there are.
const GemmDesign& gemm_design(const std::string& name);
std::vector<std::string> gemm_design_names();
/// The design meant for a configuration (a name, or a file): the standard one of its name, else the first
/// standard one that the machine can run. Throws UserError when there is none.
const GemmDesign& design_for(const std::string& config, const soc::SocParams& params);

/// Throw UserError when the machine is not one the kernel can run on, and when m, n and k are no multiples
/// of the kernel's tile.
void check_machine(const GemmDesign& design, const soc::SocParams& params);
void check_tiles(const GemmDesign& design, const GemmSize& size);
/// The sizes of its products, "MxNxK" with + between them; empty: those it is usually run with. Throws
/// UserError when there are too many or too few, or check_tiles() does not like one.
std::vector<GemmSize> parse_sizes(const GemmDesign& design, const std::string& text);

/// Multiply-accumulates per cycle of the units the design computes on; what utilisation refers to.
std::uint64_t peak_macs(const GemmDesign& design, const soc::SocParams& params);

/// Compares the product of number `product` with the double-precision bound and with the arithmetic of the
/// design: bit by bit, or, activated, within the roundings of the activation.
GemmCheck check_design(const GemmDesign& design, const soc::SocParams& params, std::size_t product,
                       const GemmSize& size, const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c);

/// Where the operands are in global memory: the published addresses (runtime linker/vx_link32.ld)
/// while they fit, else consecutive ones.
struct GemmLayout {
  std::uint64_t a = 0, b = 0, c = 0;
};
/// One for each product. Throws UserError when the matrices do not fit below the stacks.
std::vector<GemmLayout> layouts_of(const GemmDesign& design, const std::vector<GemmSize>& sizes);

/// The argument block of the matrix-product kernels (kernels sgemm_tcore/common.h), 40 bytes for
/// each product. The word without a published meaning has the number of the unit.
std::vector<unsigned char> argument_block(const GemmDesign& design, const std::vector<GemmSize>& sizes,
                                          const std::vector<GemmLayout>& layouts);

}  // namespace spica::workloads
