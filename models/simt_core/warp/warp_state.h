// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/isa/lane_kernels.h"
#include "models/isa/machine_mode.h"
#include "models/isa/registers.h"
#include "models/isa/simt_control.h"

namespace spica::simt_core {

/// Architectural state of one warp: what its program can see of it, the same in both modes.
struct WarpState {
  WarpState(unsigned lanes, unsigned stack_depth) : registers(lanes), simt(stack_depth, lanes) {}

  isa::RegisterFile registers;
  isa::SimtState simt;  // active mask and SIMT stack
  isa::FloatState floating;
  isa::MachineMode machine;
  unsigned barrier_id = 0, barrier_count = 0;  // of the last barrier it reached

  /// Active lanes; 0: the warp has ended.
  std::uint32_t mask() const { return simt.mask(); }

  void reset() {
    registers.clear();
    simt.reset();
    floating = {};
    machine = {};
    barrier_id = barrier_count = 0;
  }
};

}  // namespace spica::simt_core
