// SPDX-License-Identifier: Apache-2.0
// Machine mode of a warp: traps to mtvec, ecall, ebreak, mret, wfi. The state and its rules are in
// models/isa/machine_mode.h; here is what a trap does to the pipeline.
//
// A trap is precise and takes the whole warp: the instruction has no effect in any lane, older ones of
// the warp finish, younger ones that were fetched are dropped. Mask and SIMT stack stay, so the handler
// runs with the lanes that were active; mtval tells the address of the lowest lane at fault.
#include <fmt/format.h>

#include <optional>

#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

namespace {

using protocol::FaultKind;

/// What mcause says of a mistake; nothing for mistakes that no handler could repair, which stay reports:
/// those of the SIMT extension and those a target finds late.
std::optional<isa::Cause> cause_of(FaultKind kind, const isa::Instruction& instruction,
                                   isa::Privilege privilege) {
  const bool loads =
      instruction.unit == isa::Unit::kLoad || instruction.opcode == isa::Opcode::kLrW;
  switch (kind) {
    case FaultKind::kIllegalInstruction: return isa::Cause::kIllegalInstruction;
    case FaultKind::kMisalignedAccess:
      return loads ? isa::Cause::kMisalignedLoad : isa::Cause::kMisalignedStore;
    case FaultKind::kUnmappedAccess:
    case FaultKind::kAtomicRefused:
      return loads ? isa::Cause::kLoadAccess : isa::Cause::kStoreAccess;
    case FaultKind::kMisalignedFetch: return isa::Cause::kMisalignedFetch;
    case FaultKind::kUnmappedFetch: return isa::Cause::kFetchAccess;
    case FaultKind::kEnvironmentCall:
      return privilege == isa::Privilege::kMachine ? isa::Cause::kMachineCall
                                                   : isa::Cause::kUserCall;
    case FaultKind::kBreakpoint: return isa::Cause::kBreakpoint;
    default: return std::nullopt;
  }
}

/// What mtval says.
std::uint32_t value_of(FaultKind kind, const Fetched& fetched, std::uint64_t address) {
  switch (kind) {
    case FaultKind::kIllegalInstruction: return fetched.instruction->word;
    case FaultKind::kBreakpoint: return fetched.pc;
    case FaultKind::kEnvironmentCall: return 0;
    default: return static_cast<std::uint32_t>(address);
  }
}

}  // namespace

/// Lets warp `w`'s own handler take care of a mistake. False: it has none, or none for this.
bool SimtCore::trap(protocol::FaultKind kind, unsigned w, const Fetched& fetched,
                    std::uint64_t address) {
  Warp& warp = warps_[w];
  if (!params_.machine_mode || !machine_[w].handler_installed()) return false;
  if (map_.route(machine_[w].handler()) != protocol::Route::kGlobal) return false;  // no code there
  const auto cause = cause_of(kind, *fetched.instruction, machine_[w].privilege());
  if (!cause) return false;
  ++stats_.traps;
  warp.issue_pc = fetched.pc;
  redirect(w, machine_[w].enter(*cause, fetched.pc, value_of(kind, fetched, address)));
  return true;
}

/// What a report adds when the warp has a trap handler that did not get the fault; else "".
std::string SimtCore::why_no_trap(unsigned w) const {
  const isa::MachineMode& machine = machine_[w];
  if (!params_.machine_mode || !machine.handler_installed()) return {};
  if (map_.route(machine.handler()) != protocol::Route::kGlobal)
    return fmt::format("; no trap: there is no code at mtvec = {:#010x}", machine.handler());
  return "; a trap handler gets no faults of this kind";
}

/// Sends a warp elsewhere: what it has fetched but not issued is dropped.
void SimtCore::redirect(unsigned w, std::uint32_t pc) {
  Warp& warp = warps_[w];
  const std::uint32_t bit = 1u << w;
  // A fetch under way is dropped when it arrives. A lock without one is that of a control instruction.
  warp.discard_fetch = (locked_ & bit) != 0 && (resolving_ & bit) == 0;
  if (!warp.discard_fetch) locked_ &= ~bit;
  if (warp.sequencer.active()) {  // a tensor instruction that has begun to issue goes on
    const Fetched begun = warp.buffer.front();
    warp.buffer.clear();
    warp.buffer.push(begun);
  } else {
    warp.buffer.clear();
    buffered_ &= ~bit;
  }
  resolving_ &= ~bit;
  blocked_ &= ~bit;
  room_ |= bit;
  warp.pc = pc;
  waits_for_[w] = IssueReason::kFetch;
}

/// ecall, ebreak, mret, wfi, and words that are no instruction. True: it goes on to a unit.
bool SimtCore::execute_system(unsigned w, const Fetched& fetched) {
  Warp& warp = warps_[w];
  switch (fetched.instruction->opcode) {
    case isa::Opcode::kEcall:
    case isa::Opcode::kEbreak: {
      const bool call = fetched.instruction->opcode == isa::Opcode::kEcall;
      report(call ? FaultKind::kEnvironmentCall : FaultKind::kBreakpoint,
             protocol::Severity::kFault, w, fetched,
             "a bare-metal program ends by returning from main or by tmc 0");
      return false;
    }
    case isa::Opcode::kMret:
      if (!params_.machine_mode || machine_[w].privilege() != isa::Privilege::kMachine) break;
      warp.pc = machine_[w].leave();
      return true;
    case isa::Opcode::kWfi:
      if (!params_.machine_mode) break;
      return true;  // nothing here interrupts: a hint that may return at once
    default: break;
  }
  const bool mapped = map_.route(fetched.pc) == protocol::Route::kGlobal;
  report(mapped ? FaultKind::kIllegalInstruction : FaultKind::kUnmappedFetch,
         protocol::Severity::kFault, w, fetched,
         mapped ? "the word is not an RV32IMAF or SIMT instruction"
                : "instructions can only be fetched from global memory",
         !mapped, fetched.pc);
  return false;
}

}  // namespace spica::simt_core
