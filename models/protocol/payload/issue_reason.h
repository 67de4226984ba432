// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace spica::protocol {

/// The state of a core's issue stage in a cycle. Each cycle is charged to exactly one reason. If nothing issued, the
/// smallest value among the core's running warps counts (the warp nearest to issuing).
enum class IssueReason : std::uint8_t {
  kIssued,  // at least one warp instruction, or micro-op of one, issued
  kRegisterPort,  // the decoupled tensor core reads the register file, which blocks all instructions
  kUnitBusy,  // an operand-ready instruction found its dispatch buffer full
  kAluResult,  // waiting for an integer, CSR or warp-control result
  kFpuResult,  // waiting for a floating-point result
  kTensor,  // waiting for the tensor core
  kSharedLoad,  // waiting for a load from shared memory
  kGlobalLoad,  // waiting for a load from global memory
  kPeripheral,  // waiting for a peripheral register (matrix unit, print buffer)
  kMemoryQueue,  // the load/store unit's queue is full
  kDrain,  // a CSR access waits for the warp's earlier instructions, or a barrier for its memory accesses
  kFetch,  // instruction buffer empty: fetch or decode in progress
  kControl,  // instruction buffer empty: a branch, jump, CSR or warp-control instruction resolves
  kFence,  // instruction buffer or unit held by a fence
  kBarrier,  // all running warps wait at a barrier
  kNoWarp,  // no warp is running
  kCount,
  kNotSelected = kCount,  // warps only: ready, but another warp of the core issued (kIssued)
};

inline std::vector<std::string_view> issue_reason_names() {
  return {"issued",      "register_port", "unit_busy",  "alu_result",   "fpu_result", "tensor",
          "shared_load", "global_load",   "peripheral", "memory_queue", "drain",      "fetch",
          "control",     "fence",         "barrier",    "no_warp"};
}

/// Names of the states of a single warp.
inline std::vector<std::string_view> warp_state_names() {
  std::vector<std::string_view> names = issue_reason_names();
  names.emplace_back("not_selected");
  return names;
}

}  // namespace spica::protocol
