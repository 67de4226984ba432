// SPDX-License-Identifier: Apache-2.0
// Errors of the guest program. Blocks never assert on what a guest does.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/types.h"
#include "models/protocol/origin.h"

namespace spica::protocol {

enum class FaultKind : std::uint8_t {
  kIllegalInstruction,
  kMisalignedAccess,
  kUnmappedAccess,
  kAtomicRefused,       // an atomic at a peripheral
  kAccessError,         // a target answered with an error: no such register, or not to be read or written
  kRegisterSize,        // a target answered with an error: its registers have another size
  kMisalignedFetch,
  kUnmappedFetch,
  kEnvironmentCall,     // ecall without a trap handler
  kBreakpoint,          // ebreak without a trap handler
  kAssertion,           // such an ebreak, of an assert() of the library; the detail is its condition
  kAbort,               // such an ebreak, of abort()
  kDivergentBranch,     // active lanes disagree outside a split
  kJoinWithoutSplit,
  kSpawnInGroup,        // wspawn in a work group
  kSimtStackOverflow,
  kStackOverflow,       // a lane's stack in memory
  kBadMatrixCommand,
  kCommandLost,         // a command to a matrix unit that could not take it
  kHostCommand,         // a value in tohost that means nothing
  kUnitAccess,          // a matrix unit moves data to or from where there is no memory
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
  kInactiveOperand,     // the value comes from a lane that is not active
  kPartialTensor,       // wmma with inactive lanes
  kOtherTensorCore,     // a word that is another instruction on the other kind of tensor core
  kMaskNotRestored,     // a note: a warp ended with entries on its SIMT stack
};

enum class Severity : std::uint8_t { kNote, kWarning, kFault };

struct GuestFault {
  FaultKind kind;
  Severity severity;
  base::Cycle cycle;
  Origin origin;
  std::uint32_t instruction = 0;  // the word at origin.pc, when known
  bool has_address = false;
  std::uint64_t address = 0;      // data address or branch target
  std::string detail;             // one sentence with what was expected
};

}  // namespace spica::protocol
