// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/objects.h"
#include "models/isa/instruction.h"
#include "models/simt_core/simt_core_params.h"
#include "models/simt_core/stall_reason.h"

namespace spica::simt_core {

/// A decoded instruction with the data that pipeline stages need.
///
/// Source   vortex core/VX_decode.sv, core/VX_dispatch.sv; latencies in VX_config.vh
struct alignas(64) Decoded : isa::Instruction {
  Decoded() = default;
  Decoded(const isa::Instruction& instruction, const Params& params);

  std::uint64_t written = 0;  // register rows, a bit each
  std::uint64_t hazards = 0;  // rows that must have no pending write when it issues
  std::uint8_t result = 0;  // destination row; 0: none, or several (wmma)
  UnitKind kind = UnitKind::kSfu;  // of the unit that executes it
  std::uint16_t delay = 1;  // cycles from its unit to write-back; unknown for loads and tensor instructions
  std::uint16_t interval = 1;  // cycles for which it occupies its unit
  bool holds_fetch = false;  // its warp must not fetch until it has resolved
  bool unlocks_fetch = false;  // it resolves when it leaves its unit
  bool in_order = true;  // in the special-function unit: behind the earlier instructions of its warp
  bool plain = false;  // registers to registers only, see Executor::is_plain()
  IssueReason producer = IssueReason::kAluResult;  // wait reason of instructions that use its result
};

}  // namespace spica::simt_core

SPICA_CHECKPOINT_POINTER(const spica::simt_core::Decoded, const spica::isa::Instruction)
