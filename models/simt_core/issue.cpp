// SPDX-License-Identifier: Apache-2.0
// Issue stage: scoreboard, operand read and functional execution.
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

void SimtCore::issue() {
  if (state_.halted() || third_port_taken()) return;
  for (std::uint32_t rest = scoreboard_.unblocked(front_end_.buffered()); rest != 0; rest &= rest - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(rest));
    const Fetched& fetched = front_end_.front(w);
    if (gate_ != nullptr && !pass_gate(w, fetched)) continue;
    const bool watched = (float_watch_ >> w & 1) != 0;
    if (__builtin_expect(watched, 0) &&
        refused(executor_.check_floats(at(w, fetched.pc), *fetched.instruction), w, fetched.pc)) {
      if (state_.halted()) return;
      continue;
    }
    const isa::Instruction& instruction = *fetched.instruction;
    const bool leaves =
        instruction.opcode == isa::Opcode::kWmma ? try_issue_tensor(w, fetched) : try_issue(w, fetched);
    if (!leaves) {
      if (state_.halted()) return;
      continue;
    }
    if (__builtin_expect(watched, 0)) {
      executor_.note_floats(w, instruction);
      note_float_watch(w);
    }
    if (!front_end_.drop(w)) continue;
    const isa::Instruction& next = *front_end_.front(w).instruction;
    if (next.unit != isa::Unit::kTensor && !every_cycle_counts())
      scoreboard_.waits_for(w, next.reads | next.writes());  // that spares the attempt in the next cycle
  }
}

/// Other warps may run on, or see that they may, because of the instruction: a barrier, wspawn, the end of the warp.
bool SimtCore::lets_others_go_on(unsigned w, const isa::Instruction& instruction) const {
  const WarpState& warp = state_[w];
  const std::uint32_t mask = warp.simt.mask();
  const auto operand = [&](std::uint8_t row) {
    return row == isa::kNoRegister ? 0u : warp.registers.row(row)[isa::scalar_lane(mask)];
  };
  const std::uint32_t all = ~std::uint32_t{0} >> (32 - params_.lanes);
  switch (instruction.opcode) {
    case isa::Opcode::kBar:
    case isa::Opcode::kWspawn: return true;
    case isa::Opcode::kTmc: return (operand(instruction.rs1) & all) == 0;
    case isa::Opcode::kPred:
      return lanes_with_bit0(warp.registers, instruction.rs1, mask) == 0 &&
             (operand(instruction.rs2) & all) == 0;
    default: return false;
  }
}

/// The instruction may not issue before the memory accesses of its warp are done. If so, on_memory_quiet() follows.
bool SimtCore::waits_for_memory(unsigned w, const isa::Instruction& instruction) {
  return params_.barrier_waits_for_memory && lets_others_go_on(w, instruction) &&
         load_store_.waits_for_memory(w);
}

/// Tries to issue warp `w`'s next instruction, which is none of several micro-ops. True: it leaves the
/// instruction buffer.
bool SimtCore::try_issue(unsigned w, const Fetched& fetched) {
  const isa::Instruction& instruction = *fetched.instruction;
  if (instruction.unit == isa::Unit::kTensor) return try_issue_decoupled_tensor(w, fetched);

  if (scoreboard_.waits_for(w, instruction.reads | instruction.writes())) return false;
  if (instruction.unit == isa::Unit::kCsr && scoreboard_.in_flight(w) != 0) {
    scoreboard_.block(w, IssueReason::kDrain, Scoreboard::kAnyCommit);
    return false;
  }
  if (instruction.unit == isa::Unit::kWarpControl && waits_for_memory(w, instruction)) {
    scoreboard_.block(w, IssueReason::kDrain);  // until on_memory_quiet()
    return false;
  }
  const unsigned unit = units_.unit_of(instruction, w);
  if (units_.full(unit, w)) {
    scoreboard_.block(w, IssueReason::kUnitBusy);  // until the unit takes one of the warp's instructions
    return false;
  }

  const std::uint32_t mask = state_[w].simt.mask();
  switch (instruction.unit) {
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kAtomic:
    case isa::Unit::kFence:
      if (!try_issue_memory(w, fetched)) return false;
      break;
    case isa::Unit::kWarpControl: break;  // acts when the unit takes it
    default: {
      const Executor::At here{w, fetched.pc, mask, now()};
      // The report reads the stack: it waits until the warp's stores are in memory.
      if (__builtin_expect(executor_.overflows_stack(here, instruction), 0) &&
          load_store_.waits_for_memory(w)) {
        scoreboard_.block(w, IssueReason::kDrain);  // until on_memory_quiet()
        return false;
      }
      const Effect effect = executor_.execute(here, instruction);
      if (effect.kind == Effect::Kind::kJump) front_end_.jump(w, effect.pc);
      else if (refused(effect, w, fetched.pc)) return false;
      if (instruction.unit == isa::Unit::kCsr) note_float_watch(w);
    }
  }

  if (unit != Units::kLoadStore) {
    units_.push(unit, w, {&instruction, fetched.pc, mask, 0, now() + params_.operand_latency});
    if (instruction.writes() != 0)  // one row
      scoreboard_.produce(w, instruction.rd, units_.producer(instruction));
  }
  scoreboard_.issue(w, instruction.writes());
  account_.issue(w, fetched.pc);
  account_.count(fetched, mask);
  if (probe_ != nullptr) tell_issue(w, fetched, mask);
  return true;
}

void SimtCore::tell_issue(unsigned w, const Fetched& fetched, std::uint32_t mask) {
  probe_->on_issue({now(), origin(w, fetched.pc, mask), *fetched.instruction, state_[w].registers});
}

}  // namespace spica::simt_core
