// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"

namespace spica::isa {

/// CSR numbers (facts 3). Every other number reads as 0 and ignores writes.
namespace csr {
// per warp
inline constexpr std::uint32_t kFflags = 0x001;
inline constexpr std::uint32_t kFrm = 0x002;
inline constexpr std::uint32_t kFcsr = 0x003;  // frm in bits 7:5, fflags in bits 4:0
// machine mode: read as 0 and ignore writes, so that standard start-up code runs
inline constexpr std::uint32_t kSatp = 0x180;
inline constexpr std::uint32_t kMstatus = 0x300;
inline constexpr std::uint32_t kMisa = 0x301;
inline constexpr std::uint32_t kMedeleg = 0x302;
inline constexpr std::uint32_t kMideleg = 0x303;
inline constexpr std::uint32_t kMie = 0x304;
inline constexpr std::uint32_t kMtvec = 0x305;
inline constexpr std::uint32_t kMepc = 0x341;
inline constexpr std::uint32_t kPmpcfg0 = 0x3A0;
inline constexpr std::uint32_t kPmpaddr0 = 0x3B0;
inline constexpr std::uint32_t kMnstatus = 0x744;
// counters of a core
inline constexpr std::uint32_t kMcycle = 0xB00;
inline constexpr std::uint32_t kMinstret =
    0xB02;  // sum of the active lanes of committed instructions
inline constexpr std::uint32_t kMcycleHigh = 0xB80;
inline constexpr std::uint32_t kMinstretHigh = 0xB82;
/// Command to (write) and busy bit of (read) the matrix units.
inline constexpr std::uint32_t kAccelerator = 0xACC;
// who and where
inline constexpr std::uint32_t kLaneId = 0xCC0;
inline constexpr std::uint32_t kWarpId = 0xCC1;
inline constexpr std::uint32_t kCoreId = 0xCC2;       // of the whole machine
inline constexpr std::uint32_t kActiveWarps = 0xCC3;  // bit mask, of the core
inline constexpr std::uint32_t kThreadMask = 0xCC4;   // active lanes of the warp
inline constexpr std::uint32_t kBootArgument = 0xCC5;
inline constexpr std::uint32_t kVendorId = 0xF11;
inline constexpr std::uint32_t kArchitectureId = 0xF12;
inline constexpr std::uint32_t kImplementationId = 0xF13;
inline constexpr std::uint32_t kHartId = 0xF14;  // (core * warps + warp) * lanes + lane
inline constexpr std::uint32_t kLanes = 0xFC0;
inline constexpr std::uint32_t kWarps = 0xFC1;
inline constexpr std::uint32_t kCores = 0xFC2;  // of the whole machine

/// misa: XLEN 32 in bits 31:30 and the letters A, F, I, M, U, X. The RTL reports A only in builds
/// that have it (facts 2.1: published code does not use it); here it is always there.
inline constexpr std::uint32_t kMisaValue =
    1u << 30 | 1u << 0 | 1u << 5 | 1u << 8 | 1u << 12 | 1u << 20 | 1u << 23;

/// "fflags", "mhartid", "accelerator", ...; nullptr for a number that is not listed above.
const char* name(std::uint32_t number) noexcept;

/// Writes to it change something: fflags, frm, fcsr and the accelerator command.
constexpr bool writable(std::uint32_t number) noexcept {
  return (number >= kFflags && number <= kFcsr) || number == kAccelerator;
}
}  // namespace csr

/// The 5-bit constant of csrrwi, csrrsi and csrrci.
inline std::uint32_t csr_constant(const Instruction& instruction) noexcept {
  return instruction.word >> 15 & 31;
}

struct CsrOperation {
  std::uint32_t value;  // to write
  bool writes;
};

/// Read-modify-write rule of a CSR instruction. `old`: the CSR's value; `operand`: value of rs1,
/// ignored by the immediate forms, which take their constant. Set and clear do not write when their
/// operand is 0 (facts 3: the value counts, not only the register number).
inline CsrOperation csr_operation(const Instruction& instruction, std::uint32_t old,
                                  std::uint32_t operand) noexcept {
  if (instruction.format == Format::kCsrImm) operand = csr_constant(instruction);
  switch (instruction.opcode) {
    case Opcode::kCsrrw:
    case Opcode::kCsrrwi:
      return {operand, true};
    case Opcode::kCsrrs:
    case Opcode::kCsrrsi:
      return {old | operand, operand != 0};
    case Opcode::kCsrrc:
    case Opcode::kCsrrci:
      return {old & ~operand, operand != 0};
    default:
      return {old, false};
  }
}

}  // namespace spica::isa
