// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/lane_kernels.h"
#include "models/isa/machine_mode.h"
#include "models/isa/registers.h"
#include "models/isa/simt_control.h"

namespace spica::simt_core::fast {

/// Architectural state of one warp.
struct FastWarp {
  FastWarp(unsigned lanes, unsigned stack_depth) : registers(lanes), simt(stack_depth, lanes) {}

  isa::RegisterFile registers;
  isa::SimtState simt;  // active mask and SIMT stack
  isa::FloatState floating;
  isa::MachineMode machine;
  bool watched = false;  // MachineMode::watches_floats(), as the code cache knows it
  std::uint32_t pc = 0;  // of the next instruction
  unsigned barrier_id = 0, barrier_count = 0;  // while it waits at a barrier
};

}  // namespace spica::simt_core::fast
