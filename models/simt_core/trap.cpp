// SPDX-License-Identifier: Apache-2.0
// Machine mode of a warp: traps to mtvec, ecall, ebreak, mret, wfi. The state and its rules are in
// models/isa/machine_mode.h; here is what a trap does to the pipeline.
//
// A trap is precise and takes the whole warp: the instruction has no effect in any lane, older ones of
// the warp finish, younger ones that were fetched are dropped. Mask and SIMT stack stay, so the handler
// runs with the lanes that were active; mtval tells the address of the lowest lane at fault.
#include <optional>

#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

/// Lets warp `w`'s own handler take care of a mistake. False: it has none, or none for this.
bool SimtCore::trap(protocol::FaultKind kind, unsigned w, const Fetched& fetched, std::uint64_t address) {
  Warp& warp = warps_[w];
  if (!takes_traps(params_, machine_[w], map_)) return false;
  const auto cause = cause_of(kind, *fetched.instruction, machine_[w].privilege());
  if (!cause) return false;
  ++stats_.traps;
  if (probe_ != nullptr) probe_->on_trap(now(), origin(w, fetched.pc, warp.simt.mask()));
  warp.issue_pc = fetched.pc;
  redirect(
      w, machine_[w].enter(*cause, fetched.pc, trap_value(kind, *fetched.instruction, fetched.pc, address)));
  return true;
}

/// Sends a warp elsewhere: what it has fetched but not issued is dropped.
void SimtCore::redirect(unsigned w, std::uint32_t pc) {
  Warp& warp = warps_[w];
  const std::uint32_t bit = 1u << w;
  // A fetch under way is dropped when it arrives. A lock without one is that of a control instruction.
  discards_ = (discards_ & ~bit) | (locked_ & ~resolving_ & bit);
  if ((discards_ & bit) == 0) locked_ &= ~bit;
  if (probe_ != nullptr) tell_drops(w);
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
    case isa::Opcode::kMret:
      if (!params_.machine_mode || machine_[w].privilege() != isa::Privilege::kMachine) break;
      warp.pc = machine_[w].leave();
      return true;
    case isa::Opcode::kWfi:
      if (!params_.machine_mode) break;
      return true;  // nothing here interrupts: a hint that may return at once
    default: break;
  }
  report(system_mistake(*fetched.instruction, map_.route(fetched.pc) == protocol::Route::kGlobal, fetched.pc),
         w, fetched);
  return false;
}

}  // namespace spica::simt_core
