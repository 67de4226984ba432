// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/checks.h"

#include <fmt/format.h>

#include "models/isa/control_flow.h"
#include "models/isa/csr.h"
#include "models/isa/execute.h"

namespace spica::simt_core {

using protocol::FaultKind;
using protocol::Severity;

Flow flow_of(const Ready& r) {
  const unsigned lane = isa::scalar_lane(r.mask);
  Flow flow{true, 0, 0};
  if (r.instruction.opcode == isa::Opcode::kJalr) {
    const std::uint32_t target = isa::jump_target(r.instruction, r.pc, r.registers, lane);
    for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
      const auto l = static_cast<unsigned>(__builtin_ctz(rest));
      if (isa::jump_target(r.instruction, r.pc, r.registers, l) == target) flow.follow |= 1u << l;
    }
  } else if (r.instruction.opcode == isa::Opcode::kJal) {
    flow.follow = r.mask;
  } else {
    const std::uint32_t taken = isa::branch_taken(r.instruction, r.registers, r.mask);
    flow.jumps = (taken >> lane & 1) != 0;
    flow.follow = flow.jumps ? taken : r.mask & ~taken;
  }
  flow.target = isa::jump_target(r.instruction, r.pc, r.registers, lane);
  return flow;
}

std::uint32_t lane_target(const Ready& r, unsigned lane) {
  const bool jumps = r.instruction.opcode == isa::Opcode::kJalr ||
                     r.instruction.opcode == isa::Opcode::kJal ||
                     (isa::branch_taken(r.instruction, r.registers, r.mask) >> lane & 1) != 0;
  return jumps ? isa::jump_target(r.instruction, r.pc, r.registers, lane) : r.pc + 4;
}

GuestError divergent_branch(const Flow& flow, std::uint32_t mask, Divergence divergence) {
  return {FaultKind::kDivergentBranch,
          divergence == Divergence::kFault ? Severity::kFault : Severity::kWarning,
          fmt::format("lanes {:#04x} go one way and lanes {:#04x} the other, outside a split", flow.follow,
                      mask & ~flow.follow)};
}

GuestError misaligned_target(std::uint32_t target) {
  return {FaultKind::kMisalignedFetch, Severity::kFault, "instructions are 4 bytes long and aligned", true,
          target};
}

GuestError refused_access(const tlm::tlm_generic_payload& payload, const protocol::AddressMap& map) {
  const std::uint64_t address = payload.get_address();
  const protocol::Region* region = map.find(address);
  const std::string name = region != nullptr ? region->name : "the target";
  if (payload.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE)
    return {FaultKind::kRegisterSize, Severity::kFault,
            fmt::format("{}: registers are 4 bytes wide, this {} is {}", name,
                        payload.is_read() ? "load" : "store", payload.get_data_length()),
            true, address};
  return {FaultKind::kAccessError, Severity::kFault,
          fmt::format("{} has no register at +{:#x} that can be {}", name,
                      region != nullptr ? address - region->base : address,
                      payload.is_read() ? "read" : "written"),
          true, address};
}

GuestError refused_csr(const isa::Instruction& instruction, const isa::MachineMode& machine) {
  const auto number = static_cast<std::uint32_t>(instruction.imm);
  const char* name = isa::csr::name(number);
  std::string text = fmt::format("CSR {:#05x}{}", number, name != nullptr ? fmt::format(" ({})", name) : "");
  if (isa::csr_writes(instruction) && machine.allows(number, false)) text += " is read-only";
  else if (machine.privilege() == isa::Privilege::kUser && (number >> 8 & 3) != 0)
    text += " is not accessible in user mode";
  else text += " does not exist";
  return {FaultKind::kIllegalInstruction, Severity::kFault, std::move(text)};
}

bool is_unimp(const isa::Instruction& instruction) { return instruction.word == 0xC000'1073; }

GuestError stopped_itself() {
  return {FaultKind::kIllegalInstruction, Severity::kFault,
          "unimp: compilers write it for __builtin_trap() and where a program must not come"};
}

GuestError system_error(const isa::Instruction& instruction, bool mapped, std::uint32_t pc) {
  constexpr const char* kEnd = "a bare-metal program ends by returning from main or by tmc 0";
  switch (instruction.opcode) {
    case isa::Opcode::kEcall: return {FaultKind::kEnvironmentCall, Severity::kFault, kEnd};
    case isa::Opcode::kEbreak: return {FaultKind::kBreakpoint, Severity::kFault, kEnd};
    default: break;
  }
  if (mapped)
    return {FaultKind::kIllegalInstruction, Severity::kFault,
            isa::is_compressed(instruction.word)
                ? "the word begins with a compressed instruction, which the cores do not support"
                : "the word is not an RV32IMAF or SIMT instruction",
            false, pc};
  return {FaultKind::kUnmappedFetch, Severity::kFault, "instructions are fetched from global memory only",
          true, pc};
}

GuestError reserved_rounding() {
  return {FaultKind::kIllegalInstruction, Severity::kFault, "the rounding mode is reserved"};
}

GuestError floats_are_off() {
  return {FaultKind::kIllegalInstruction, Severity::kFault,
          "the program has switched the floating-point unit off: it wrote mstatus with FS (bits 14:13) = 0"};
}

GuestError stack_overflow() {
  return {FaultKind::kSimtStackOverflow, Severity::kFault,
          "more nested divergent splits than the SIMT stack has entries"};
}

GuestError join_without_split() {
  return {FaultKind::kJoinWithoutSplit, Severity::kFault, "the SIMT stack is empty: no split is open"};
}

GuestError spawn_in_group() {
  return {FaultKind::kSpawnInGroup, Severity::kFault,
          "the dispatcher of work groups starts the warps; for more warps, launch a larger block"};
}

GuestError mask_not_restored() {
  return {FaultKind::kMaskNotRestored, Severity::kNote, "the warp ends inside a split"};
}

GuestError lanes_wait_elsewhere() {
  return {
      FaultKind::kDivergentBranch, Severity::kFault,
      "lanes of the warp wait at another instruction; warp control and tensor instructions need all of them"};
}
GuestError no_tensor_core(const isa::Instruction& instruction) {
  return {FaultKind::kIllegalInstruction, Severity::kFault,
          instruction.opcode >= isa::Opcode::kWmma32Mma
              ? "this configuration has no tensor core with fragments in registers (tensor_core.style)"
              : "this configuration has no tensor core"};
}

GuestError other_tensor_core() {
  return {
      FaultKind::kOtherTensorCore, Severity::kWarning,
      "the tensor cores of this configuration are synchronous (tensor_core.style): every word of this opcode is "
      "wmma on registers, and fields that name anything else are ignored"};
}

std::optional<isa::Cause> cause_of(FaultKind kind, const isa::Instruction& instruction,
                                   isa::Privilege privilege) {
  const bool loads = instruction.unit == isa::Unit::kLoad || instruction.opcode == isa::Opcode::kLrW;
  switch (kind) {
    case FaultKind::kIllegalInstruction: return isa::Cause::kIllegalInstruction;
    case FaultKind::kMisalignedAccess:
      return loads ? isa::Cause::kMisalignedLoad : isa::Cause::kMisalignedStore;
    case FaultKind::kUnmappedAccess:
    case FaultKind::kAtomicRefused:
    case FaultKind::kTilePlace: return loads ? isa::Cause::kLoadAccess : isa::Cause::kStoreAccess;
    case FaultKind::kMisalignedFetch: return isa::Cause::kMisalignedFetch;
    case FaultKind::kUnmappedFetch: return isa::Cause::kFetchAccess;
    case FaultKind::kEnvironmentCall:
      return privilege == isa::Privilege::kMachine ? isa::Cause::kMachineCall : isa::Cause::kUserCall;
    case FaultKind::kBreakpoint: return isa::Cause::kBreakpoint;
    default: return std::nullopt;
  }
}

std::uint32_t trap_value(FaultKind kind, const isa::Instruction& instruction, std::uint32_t pc,
                         std::uint64_t address) {
  switch (kind) {
    case FaultKind::kIllegalInstruction: return instruction.word;
    case FaultKind::kBreakpoint: return pc;
    case FaultKind::kEnvironmentCall: return 0;
    default: return static_cast<std::uint32_t>(address);
  }
}

bool takes_traps(const Params& params, const isa::MachineMode& machine, const protocol::AddressMap& map) {
  return params.machine_mode && machine.handler_installed() &&
         map.route(machine.handler()) == protocol::Route::kGlobal;
}

std::string why_no_trap(const Params& params, const isa::MachineMode& machine,
                        const protocol::AddressMap& map) {
  if (!params.machine_mode || !machine.handler_installed()) return {};
  if (map.route(machine.handler()) != protocol::Route::kGlobal)
    return fmt::format("; no trap: there is no code at mtvec = {:#010x}", machine.handler());
  return "; faults of this kind do not go to a trap handler";
}

std::uint32_t lanes_with_bit0(const isa::RegisterFile& registers, std::uint8_t row, std::uint32_t active) {
  if (row == isa::kNoRegister) return 0;
  const std::uint32_t* values = registers.row(row);
  std::uint32_t lanes = 0;
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    lanes |= (values[lane] & 1) << lane;
  }
  return lanes;
}

}  // namespace spica::simt_core
