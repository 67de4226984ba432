// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/protocol/ports/tensor_if.h"

namespace spica::protocol {

/// The arithmetic of a tensor core without timing, for the fast mode. Rows have eight lanes and are 32-byte aligned.
/// Implemented by the tensor core, called by its core.
class FunctionalTensorIf : public virtual sc_core::sc_interface {
 public:
  /// Executes one step pair of wmma: replaces the accumulator rows of the active `lanes` (vortex
  /// core/VX_tensor_core.sv, fpu/VX_tensor_dpu.sv).
  virtual void multiply_pair(unsigned step, std::uint32_t lanes, const TensorPair& rows) = 0;
  /// Executes one hgmma. `accumulators` are the 32 floating-point rows, `a` and `b` the tiles in shared memory
  /// (vortex-hopper core/VX_tensor_hopper_core.sv; virgo core/TensorCoreDecoupled.scala).
  virtual void multiply_tiles(const unsigned char* a, const unsigned char* b,
                              std::uint32_t* accumulators) = 0;
};

}  // namespace spica::protocol
