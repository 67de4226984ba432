// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"
#include "models/isa/lane_kernels.h"
#include "models/isa/registers.h"

namespace spica::isa {

/// Accrued exception bits of fflags.
inline constexpr std::uint8_t kInexact = 1, kUnderflow = 2, kOverflow = 4, kDivideByZero = 8, kInvalid = 16;

/// Rounding modes: nearest even, towards zero, down, up, nearest with ties away from zero, take
/// frm.
inline constexpr std::uint8_t kRne = 0, kRtz = 1, kRdn = 2, kRup = 3, kRmm = 4, kDyn = 7;

/// The lane kernels of this host: AVX2 and FMA if the processor has them. Chosen once at start-up; all choices give the
/// same bits.
extern const LaneKernels* lane_kernels;

/// Executes one register-to-register instruction on the active lanes: units kAlu, kMul, kDiv, all FPU units, and the
/// link value of jal and jalr. Any other instruction does nothing. Inactive lanes keep their registers and raise no
/// flags. The rounding mode must be valid, see rounding_is_valid(). `active_mask` must have no bits at or above the
/// lanes of `registers`. The host's floating-point control bits are unchanged on return; its sticky exception bits may
/// change.
inline void execute(const Instruction& instruction, std::uint32_t pc, RegisterFile& registers,
                    std::uint32_t active_mask, FloatState& state) noexcept {
  lane_kernels->execute[static_cast<unsigned>(instruction.opcode)](
      instruction, registers.row(0), registers.stride(), active_mask, pc, state);
}

/// Active lanes that take the conditional branch; all of them for jal and jalr; 0 for anything
/// else.
inline std::uint32_t branch_taken(const Instruction& instruction, const RegisterFile& registers,
                                  std::uint32_t active_mask) noexcept {
  return lane_kernels->branch(instruction, registers.row(0), registers.stride()) & active_mask;
}

/// Target of a taken branch, a jal, or lane `lane`'s jalr. Call it before execute() writes the link register. The
/// target may be misaligned; the caller must check.
inline std::uint32_t jump_target(const Instruction& instruction, std::uint32_t pc,
                                 const RegisterFile& registers, unsigned lane) noexcept {
  const auto offset = static_cast<std::uint32_t>(instruction.imm);
  if (instruction.opcode == Opcode::kJalr) return (registers.row(instruction.rs1)[lane] + offset) & ~1u;
  return pc + offset;
}

/// False for the reserved rounding modes: rm 5 or 6, or rm 7 with frm 5..7. Such an instruction is
/// illegal. True for every instruction that does not round.
inline bool rounding_is_valid(const Instruction& instruction, const FloatState& state) noexcept {
  return (instruction.rounding == kDyn ? state.frm : instruction.rounding) <= kRmm;
}

/// Sign- or zero-extends the result of a load; its bytes are the low bytes of `raw`.
inline std::uint32_t extend_load(const Instruction& instruction, std::uint32_t raw) noexcept {
  switch (instruction.access_bytes) {
    case 1:
      return instruction.access_signed
                 ? static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(raw)))
                 : raw & 0xFF;
    case 2:
      return instruction.access_signed
                 ? static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(raw)))
                 : raw & 0xFFFF;
    default: return raw;
  }
}

}  // namespace spica::isa
