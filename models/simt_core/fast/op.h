// SPDX-License-Identifier: Apache-2.0
// Instructions in fast-mode form: plain data, for loops that are compiled for several types of host.
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"
#include "models/isa/row_offset.h"

namespace spica::simt_core::fast {

/// Values of Op::code after those of isa::Opcode. Zero, the code of illegal instructions, means "not decoded yet" here,
/// so that a new page needs no initialization.
enum Code : std::uint16_t {
  kUndecoded = 0,
  kPageEnd = static_cast<std::uint16_t>(isa::Opcode::kCount),  // after the last instruction of a page
  kReadIdentity,  // a CSR in the table Slice::identity; imm is its row
  kMoveStack,  // addi to the stack pointer that may leave the stack
  kOther,  // instructions that the loops leave to FastCore::step()
  kCodes
};

/// Rows of Slice::identity: registers of the SIMT extension that are constant while a warp runs.
enum Identity : std::uint8_t {
  kLaneIdRow,
  kWarpIdRow,
  kCoreIdRow,
  kLanesRow,
  kWarpsRow,
  kCoresRow,
  kThreadMaskRow,
  kIdentities
};

/// A decoded instruction with all values that do not depend on registers.
struct Op {
  std::uint16_t code;  // isa::Opcode or Code
  isa::RowOffset rd, rs1, rs2, rs3;
  std::uint8_t rounding;
  std::int32_t imm;  // auipc, jal and jalr: the value written
  union {
    Op* target;  // of branches and jal
    std::uint64_t link;  // jalr: the value written
  };
  const isa::Instruction* instruction;
};
static_assert(sizeof(Op) == 32);

inline constexpr unsigned kPageBytes = 4096;
inline constexpr unsigned kPageOps = kPageBytes / 4;

/// The instructions of one page of guest memory.
struct Page {
  std::uint32_t base;  // guest address
  Op ops[kPageOps + 1];
};

}  // namespace spica::simt_core::fast
