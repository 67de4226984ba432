// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"

namespace spica::isa {

/// Floating-point state of a warp.
struct FloatState {
  std::uint8_t frm = 0;     // dynamic rounding mode
  std::uint8_t fflags = 0;  // accrued exceptions
};

/// Executes one instruction on rows of lanes: `rows` is row 0 of a RegisterFile, `stride` its words per row.
using LaneKernel = void (*)(const Instruction&, std::uint32_t* rows, unsigned stride, std::uint32_t active,
                            std::uint32_t pc, FloatState&);

/// All lane kernels, compiled for one type of host. Plain data: files compiled for AVX2 must not instantiate shared
/// inline functions, or the linker could use those on every host.
struct LaneKernels {
  LaneKernel execute[static_cast<unsigned>(Opcode::kCount)];  // by opcode
  /// Lanes whose registers satisfy the condition of a branch, active or not.
  std::uint32_t (*branch)(const Instruction&, const std::uint32_t* rows, unsigned stride);
};

namespace baseline {
extern const LaneKernels kLaneKernels;
}
namespace avx2 {
extern const LaneKernels kLaneKernels;
}

}  // namespace spica::isa
