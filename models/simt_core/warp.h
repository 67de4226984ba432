// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/isa/execute.h"
#include "models/isa/instruction.h"
#include "models/isa/registers.h"
#include "models/isa/simt_control.h"
#include "models/simt_core/stall_reason.h"

namespace spica::simt_core {

/// A decoded instruction that waits in a warp's instruction buffer.
struct Fetched {
  const isa::Instruction* instruction = nullptr;
  std::uint32_t pc = 0;
};

/// Architectural and pipeline state of one warp.
struct Warp {
  Warp(unsigned lanes, unsigned stack_depth, unsigned buffer_depth)
      : registers(lanes), simt(stack_depth, lanes), buffer(buffer_depth) {}

  // architecture
  isa::RegisterFile registers;
  isa::SimtState simt;  // active mask and SIMT stack
  isa::FloatState floating;
  std::uint32_t pc = 0;  // of the next instruction to fetch

  // pipeline
  base::BoundedQueue<Fetched> buffer;
  std::uint64_t pending_rows = 0;  // scoreboard: registers with a write under way
  std::array<IssueReason, isa::kRegisterRows> producer{};  // who writes them
  unsigned in_flight = 0;          // issued but not committed instructions
  base::Cycle last_commit = 0;     // one write-back per warp and cycle
  std::uint32_t issue_pc = 0;      // of the last instruction issued, for reports
  IssueReason waits_for = IssueReason::kFetch;
  unsigned barrier_id = 0;         // while it waits at a barrier
  unsigned barrier_count = 0;
  bool discard_fetch = false;      // respawned while a fetch was under way

  void reset() {
    registers.clear();
    simt.reset();
    floating = {};
    pc = issue_pc = 0;
    buffer.clear();
    pending_rows = 0;
    in_flight = 0;
    last_commit = 0;
    waits_for = IssueReason::kFetch;
    discard_fetch = false;
  }
};

}  // namespace spica::simt_core
