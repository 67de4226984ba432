// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace spica::protocol {

/// What a core's issue stage did in a cycle. Each cycle is charged to exactly one of these; when nothing
/// issued, the smallest value among the core's running warps counts (the one nearest to issuing).
enum class IssueReason : std::uint8_t {
  kIssued,         // at least one warp instruction, or micro-op of one, issued
  kRegisterPort,   // the decoupled tensor core read the register file, which holds all instructions back
  kUnitBusy,       // an operand-ready instruction found its dispatch buffer full
  kAluResult,      // waits for an integer, CSR or warp-control result
  kFpuResult,      // waits for a floating-point result
  kTensor,         // waits for the tensor core
  kSharedLoad,     // waits for a load from shared memory
  kGlobalLoad,     // waits for a load from global memory
  kPeripheral,     // waits for a peripheral register (matrix unit, print buffer)
  kMemoryQueue,    // the load/store unit's queue is full
  kDrain,  // a CSR access waits for the warp's earlier instructions, a barrier for its memory accesses
  kFetch,  // instruction buffer empty: fetch or decode under way
  kControl,  // instruction buffer empty: a branch, jump, CSR or warp-control instruction resolves
  kFence,  // instruction buffer or unit held by a fence
  kBarrier,  // all running warps wait at a barrier
  kNoWarp,  // no warp is running
  kCount,
  kNotSelected = kCount,  // of a warp only: it may be ready, and another one of its core issued (issue one)
};

inline std::vector<std::string_view> issue_reason_names() {
  return {"issued",      "register_port", "unit_busy",  "alu_result",   "fpu_result", "tensor",
          "shared_load", "global_load",   "peripheral", "memory_queue", "drain",      "fetch",
          "control",     "fence",         "barrier",    "no_warp"};
}

/// What a single warp can do in a cycle.
inline std::vector<std::string_view> warp_state_names() {
  std::vector<std::string_view> names = issue_reason_names();
  names.emplace_back("not_selected");
  return names;
}

}  // namespace spica::protocol
