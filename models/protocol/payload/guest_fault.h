// SPDX-License-Identifier: Apache-2.0
// Errors of the guest program. Blocks never assert on guest behaviour.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/types.h"
#include "models/protocol/payload/origin.h"

namespace spica::protocol {

enum class FaultKind : std::uint8_t {
  kIllegalInstruction,
  kMisalignedAccess,
  kUnmappedAccess,
  kAtomicRefused,       // an atomic at a peripheral
  kAccessError,         // a target returned an error: no such register, or access not permitted
  kRegisterSize,        // a target returned an error: its registers have another size
  kMisalignedFetch,
  kUnmappedFetch,
  kEnvironmentCall,     // ecall without a trap handler
  kBreakpoint,          // ebreak without a trap handler
  kAssertion,           // ebreak of the library's assert(); the detail is its condition
  kAbort,               // ebreak of abort()
  kDivergentBranch,     // active lanes disagree outside a split
  kJoinWithoutSplit,
  kSpawnInGroup,        // wspawn in a work group
  kSimtStackOverflow,
  kStackOverflow,       // a lane's stack in memory
  kBadMatrixCommand,
  kCommandLost,         // a command to a matrix unit that could not accept it
  kHostCommand,         // an unknown value in tohost
  kUnitAccess,          // a matrix unit reads or writes an address without memory
  kTilePlace,           // an operand tile of hgmma outside shared memory
  kBadPacket,           // in a queue of the command processor
  // Warnings: what the hardware executes silently (see simt_core).
  kSpawnTooMany,        // wspawn for more warps than the core has
  kSpawnRunning,        // wspawn for a warp that still runs
  kMaskTooWide,
  kBarrierId,
  kBarrierCount,
  kBadCondition,        // split, join, pred
  kLanesDisagree,
  kUnknownCsr,
  kReadOnlyCsr,
  kInactiveOperand,     // the value comes from an inactive lane
  kPartialTensor,       // wmma with inactive lanes
  kOtherTensorCore,     // an encoding that means another instruction on the other kind of tensor core
  kMaskNotRestored,     // a note: a warp ended with entries on its SIMT stack
  kEndedWarps,          // a warning: a barrier was passed without warps of the work group that had ended
};

enum class Severity : std::uint8_t { kNote, kWarning, kFault };

struct GuestFault {
  FaultKind kind;
  Severity severity;
  base::Cycle cycle;
  Origin origin;
  std::uint32_t instruction = 0;  // the word at origin.pc, if known
  bool has_address = false;
  std::uint64_t address = 0;      // data address or branch target
  std::string detail;             // one sentence with the expected condition
};

}  // namespace spica::protocol
