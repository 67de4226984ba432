// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"

namespace spica::isa {

/// CSR numbers (vortex core/VX_csr_data.sv and the privileged specification). Any other number reads as 0 and ignores
/// writes; in a program with a trap handler it is an illegal instruction.
namespace csr {
// per warp
inline constexpr std::uint32_t kFflags = 0x001;
inline constexpr std::uint32_t kFrm = 0x002;
inline constexpr std::uint32_t kFcsr = 0x003;  // frm in bits 7:5, fflags in bits 4:0
// machine mode, per warp (machine_mode.h); the published core reads them as 0 and ignores writes
inline constexpr std::uint32_t kSatp = 0x180;
inline constexpr std::uint32_t kMstatus = 0x300;
inline constexpr std::uint32_t kMisa = 0x301;
inline constexpr std::uint32_t kMedeleg = 0x302;
inline constexpr std::uint32_t kMideleg = 0x303;
inline constexpr std::uint32_t kMie = 0x304;
inline constexpr std::uint32_t kMtvec = 0x305;
inline constexpr std::uint32_t kMcounteren = 0x306;
inline constexpr std::uint32_t kMenvcfg = 0x30A;
inline constexpr std::uint32_t kMstatusHigh = 0x310;
inline constexpr std::uint32_t kMenvcfgHigh = 0x31A;
inline constexpr std::uint32_t kMcountinhibit = 0x320;
inline constexpr std::uint32_t kMscratch = 0x340;
inline constexpr std::uint32_t kMepc = 0x341;
inline constexpr std::uint32_t kMcause = 0x342;
inline constexpr std::uint32_t kMtval = 0x343;
inline constexpr std::uint32_t kMip = 0x344;
inline constexpr std::uint32_t kPmpcfg0 = 0x3A0;
inline constexpr std::uint32_t kPmpaddr0 = 0x3B0;
inline constexpr std::uint32_t kMnstatus = 0x744;
// counters of a core
inline constexpr std::uint32_t kMcycle = 0xB00;
inline constexpr std::uint32_t kMinstret = 0xB02;  // sum of the active lanes of committed instructions
inline constexpr std::uint32_t kMcycleHigh = 0xB80;
inline constexpr std::uint32_t kMinstretHigh = 0xB82;
/// Performance counters kMhpmcounter3 .. kMcycle + 31; the high halves are at + 0x80.
inline constexpr std::uint32_t kMhpmcounter3 = 0xB03;
inline constexpr std::uint32_t kHighHalf = 0x80;
// the same counters for user mode
inline constexpr std::uint32_t kCycle = 0xC00;
inline constexpr std::uint32_t kTime = 0xC01;  // cycles of the core, which has no other clock
inline constexpr std::uint32_t kInstret = 0xC02;
inline constexpr std::uint32_t kCycleHigh = 0xC80;
inline constexpr std::uint32_t kTimeHigh = 0xC81;
inline constexpr std::uint32_t kInstretHigh = 0xC82;
/// Writes issue a command to the matrix units; reads return their busy bit.
inline constexpr std::uint32_t kAccelerator = 0xACC;
// position of lane, warp and core
inline constexpr std::uint32_t kLaneId = 0xCC0;
inline constexpr std::uint32_t kWarpId = 0xCC1;
inline constexpr std::uint32_t kCoreId = 0xCC2;  // number within the machine
inline constexpr std::uint32_t kActiveWarps = 0xCC3;  // bit mask of the core's warps
inline constexpr std::uint32_t kThreadMask = 0xCC4;  // active lanes of the warp
inline constexpr std::uint32_t kBootArgument = 0xCC5;
// the work group of a warp (vortex-kmu VX_types.toml); undefined for a warp without a work group
inline constexpr std::uint32_t kGroupSlot = 0xCD0;  // number among the work groups of the cluster
inline constexpr std::uint32_t kGroupRank = 0xCD1;  // number of the warp in its work group
inline constexpr std::uint32_t kGroupWarps = 0xCD2;
inline constexpr std::uint32_t kThreadIndex = 0xCD3;  // position of the lane in the block: x, y, z
inline constexpr std::uint32_t kBlockIndex = 0xCD6;  // position of the work group in the grid: x, y, z
inline constexpr std::uint32_t kBlockExtent = 0xCD9;  // threads: x, y, z
inline constexpr std::uint32_t kGridExtent = 0xCDC;  // work groups: x, y, z
inline constexpr std::uint32_t kGroupShared = 0xCDF;  // address of its part of shared memory
inline constexpr std::uint32_t kGroupEntry = 0xCE1;  // pc of the kernel
inline constexpr std::uint32_t kVendorId = 0xF11;
inline constexpr std::uint32_t kArchitectureId = 0xF12;
inline constexpr std::uint32_t kImplementationId = 0xF13;
inline constexpr std::uint32_t kHartId = 0xF14;  // (core * warps + warp) * lanes + lane
inline constexpr std::uint32_t kLanes = 0xFC0;
inline constexpr std::uint32_t kWarps = 0xFC1;
inline constexpr std::uint32_t kCores = 0xFC2;  // cores of the whole machine

/// misa: XLEN 32 in bits 31:30 and the letters A, F, I, M, U, X. The RTL reports A only in builds that include it
/// (vortex VX_config.vh: published code does not use it); here it is always set.
inline constexpr std::uint32_t kMisaValue =
    1u << 30 | 1u << 0 | 1u << 5 | 1u << 8 | 1u << 12 | 1u << 20 | 1u << 23;

/// "fflags", "mhartid", "accelerator", ...; nullptr for a number not listed above.
const char* name(std::uint32_t number) noexcept;

/// fflags, frm, fcsr.
constexpr bool of_floats(std::uint32_t number) noexcept { return number >= kFflags && number <= kFcsr; }

/// mcycle, minstret and their high halves, which a program may write.
constexpr bool machine_counter(std::uint32_t number) noexcept {
  return (number & ~kHighHalf) == kMcycle || (number & ~kHighHalf) == kMinstret;
}

/// Writes have an effect in every core: fflags, frm, fcsr and the accelerator command.
constexpr bool writable(std::uint32_t number) noexcept { return of_floats(number) || number == kAccelerator; }

/// Nonstandard registers of the published core; every program may use them.
constexpr bool of_simt_extension(std::uint32_t number) noexcept {
  return number == kAccelerator || (number >= kLaneId && number <= kBootArgument) ||
         (number >= kLanes && number <= kCores);
}

/// Registers about the work group of the warp; all read-only.
constexpr bool of_work_group(std::uint32_t number) noexcept {
  return number >= kGroupSlot && number <= kGroupEntry && number != kGroupEntry - 1;
}

/// Position and arguments of a warp, which stay the same while it runs unless it writes them itself.
constexpr bool of_position(std::uint32_t number) noexcept {
  return (number >= kLaneId && number <= kCoreId) || number == kBootArgument || of_work_group(number) ||
         number == kHartId || (number >= kLanes && number <= kCores) || number == kMscratch;
}

/// True if lanes of a warp may read different values.
constexpr bool of_lane(std::uint32_t number) noexcept {
  return number == kLaneId || number == kHartId || (number >= kThreadIndex && number < kBlockIndex);
}

/// cycle, time, instret and their high halves.
constexpr bool user_counter(std::uint32_t number) noexcept {
  return (number & ~kHighHalf) >= kCycle && (number & ~kHighHalf) <= kInstret;
}

/// Standard registers outside the machine-mode state.
constexpr bool standard(std::uint32_t number) noexcept {
  const std::uint32_t low = number & ~kHighHalf;
  return of_floats(number) || number == kMisa || user_counter(number) || low == kMcycle ||
         (low >= kMinstret && low <= kMcycle + 31) || (number >= kVendorId && number <= kHartId);
}
}  // namespace csr

/// The 5-bit constant of csrrwi, csrrsi and csrrci.
inline std::uint32_t csr_constant(const Instruction& instruction) noexcept {
  return instruction.word >> 15 & 31;
}

/// Whether the instruction counts as a write for the access check. The standard uses the register number or the
/// constant, not the register's value.
inline bool csr_writes(const Instruction& instruction) noexcept {
  return instruction.opcode == Opcode::kCsrrw || instruction.opcode == Opcode::kCsrrwi ||
         csr_constant(instruction) != 0;  // rs1 and the constant use the same field
}

struct CsrOperation {
  std::uint32_t value;  // the value to write
  bool writes;
};

/// Read-modify-write rule of a CSR instruction. `old`: the CSR's value; `operand`: value of rs1, ignored by the
/// immediate forms, which use their constant. Set and clear do not write if their operand is 0 (vortex
/// core/VX_csr_unit.sv: the value counts, not only the register number).
inline CsrOperation csr_operation(const Instruction& instruction, std::uint32_t old,
                                  std::uint32_t operand) noexcept {
  if (instruction.format == Format::kCsrImm) operand = csr_constant(instruction);
  switch (instruction.opcode) {
    case Opcode::kCsrrw:
    case Opcode::kCsrrwi: return {operand, true};
    case Opcode::kCsrrs:
    case Opcode::kCsrrsi: return {old | operand, operand != 0};
    case Opcode::kCsrrc:
    case Opcode::kCsrrci: return {old & ~operand, operand != 0};
    default: return {old, false};
  }
}

}  // namespace spica::isa
