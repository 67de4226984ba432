// SPDX-License-Identifier: Apache-2.0
// Checks before an instruction takes effect, in both modes: the result, and the error to report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tlm>

#include "models/isa/instruction.h"
#include "models/isa/machine_mode.h"
#include "models/isa/registers.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/marker_if.h"
#include "models/simt_core/simt_core_params.h"

namespace spica::simt_core {

/// An error of the guest program, without its origin.
struct GuestError {
  protocol::FaultKind kind = protocol::FaultKind::kIllegalInstruction;
  protocol::Severity severity = protocol::Severity::kFault;
  std::string detail;
  bool has_address = false;
  std::uint64_t address = 0;
  std::uint32_t lanes = 0;  // lanes at fault; 0: all active ones
};

/// An instruction that is about to execute.
struct Ready {
  const isa::Instruction& instruction;
  std::uint32_t pc;
  const isa::RegisterFile& registers;
  std::uint32_t mask;
};

/// The target of a branch or jump.
struct Flow {
  bool jumps;
  std::uint32_t target;  // where it jumps
  std::uint32_t follow;  // active lanes that agree with the scalar lane
};
Flow flow_of(const Ready& ready);
/// The branch or jump target of one lane.
std::uint32_t lane_target(const Ready& ready, unsigned lane);
/// Active lanes diverge outside a split.
GuestError divergent_branch(const Flow& flow, std::uint32_t mask, Divergence divergence);
GuestError misaligned_target(std::uint32_t target);

/// An access that its target answered with an error.
GuestError refused_access(const tlm::tlm_generic_payload& payload, const protocol::AddressMap& map);
/// A CSR instruction that CsrFile::execute() refused.
GuestError refused_csr(const isa::Instruction& instruction, const isa::MachineMode& machine);
/// unimp, the word that compilers write for __builtin_trap(): a write to a read-only CSR, and meant to be illegal.
bool is_unimp(const isa::Instruction& instruction);
GuestError stopped_itself();

/// ecall, ebreak and illegal words; `mapped`: the pc is in executable memory.
GuestError system_error(const isa::Instruction& instruction, bool mapped, std::uint32_t pc);
GuestError reserved_rounding();
/// An instruction with floats while mstatus.FS is 0.
GuestError floats_are_off();
GuestError stack_overflow();
GuestError join_without_split();
GuestError spawn_in_group();
/// Warp control, or a tensor instruction, while lanes of the warp wait elsewhere.
GuestError lanes_wait_elsewhere();
/// A note: the warp ends inside a split.
GuestError mask_not_restored();
GuestError no_tensor_core(const isa::Instruction& instruction);
/// A warning: wmma is executed, but the word is hgmma or hgmma_wait where tensor cores are decoupled.
GuestError other_tensor_core();
/// Marks, in a set of pcs already warned about, warnings that are given only once.
inline constexpr std::uint32_t kOtherTensorCore = 1;

/// The mcause of an error; empty for errors that no handler could repair, which are always reported: those of the SIMT
/// extension and those that a target detects late.
std::optional<isa::Cause> cause_of(protocol::FaultKind kind, const isa::Instruction& instruction,
                                   isa::Privilege privilege);
/// The value of mtval.
std::uint32_t trap_value(protocol::FaultKind kind, const isa::Instruction& instruction, std::uint32_t pc,
                         std::uint64_t address);
/// True if the warp has a trap handler for errors: mtvec is set and points to code.
bool takes_traps(const Params& params, const isa::MachineMode& machine, const protocol::AddressMap& map);
/// Explains in a report why the warp's trap handler did not receive the fault; "" if it has none.
std::string why_no_trap(const Params& params, const isa::MachineMode& machine,
                        const protocol::AddressMap& map);

/// Active lanes whose register has bit 0 set.
std::uint32_t lanes_with_bit0(const isa::RegisterFile& registers, std::uint8_t row, std::uint32_t active);

}  // namespace spica::simt_core
