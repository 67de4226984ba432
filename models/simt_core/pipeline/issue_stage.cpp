// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/issue_stage.h"

#include "models/base/hot_inline.h"

namespace spica::simt_core {

void IssueStage::tick(base::Cycle now, std::uint32_t candidates) {
  if (core_.state.halted() || core_.third_port_taken == now) return;
  if (one_) {
    issue_one(now, candidates);
  } else {
    for (std::uint32_t rest = candidates; rest != 0; rest &= rest - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctz(rest));
      if (!attempt(w, now, (rest & (rest - 1)) == 0) && core_.state.halted()) break;
    }
  }
  units_.end_of_issue();
}

/// The first warp by the scheduler of which something can issue.
void IssueStage::issue_one(base::Cycle now, std::uint32_t candidates) {
  scheduler_.update(core_.state.active());
  while (candidates != 0) {
    const unsigned w = scheduler_.pick(candidates);
    candidates &= ~(1u << w);
    attempt(w, now, true);
    if (stages_.account.issued_now(w)) {
      scheduler_.issued(w);
      stages_.account.pass_over(candidates);
      return;
    }
    if (core_.state.halted()) return;
  }
}

/// Offers the next instruction of the warp, or its next part. True: an instruction has issued, wholly.
SPICA_HOT_INLINE bool IssueStage::attempt(unsigned w, base::Cycle now, bool last) {
  const bool issued =
      front_end_.is_partly_issued(w) ? units_.resume(w, now) : try_issue(w, front_end_.front(w), now, last);
  if (!issued) return false;
  if (!front_end_.drop(w)) return true;
  const Decoded& next = *front_end_.front(w).instruction;
  if (next.kind != UnitKind::kTensor && !core_.every_cycle_counts())
    scoreboard_.waits_for(w, next.hazards);  // that spares the attempt in the next cycle
  return true;
}

/// True: the warp's next instruction has issued, and leaves the instruction buffer.
SPICA_HOT_INLINE bool IssueStage::try_issue(unsigned w, const Fetched& fetched, base::Cycle now, bool last) {
  const Decoded& instruction = *fetched.instruction;
  const bool watched = ((core_.float_watch | watched_) >> w & 1) != 0;
  if (__builtin_expect(watched, 0) && !may_issue(w, fetched, now)) return false;
  const isa::ControlFlow& flow = *core_.state[w].flow;
  if (__builtin_expect(flow.parked(), 0) && !continues(w, fetched)) return false;
  // A tensor instruction issues in parts, each with its own registers.
  const bool whole = instruction.kind != UnitKind::kTensor;
  if (whole && scoreboard_.waits_for(w, instruction.hazards)) return false;
  if (!units_.offer({w, now, flow.mask(), flow.active_lanes(), last, fetched.pc, instruction})) {
    if (!whole && stages_.account.issued_now(w)) front_end_.begin(w);
    return false;
  }
  if (__builtin_expect(watched, 0)) record_issued(w, instruction, now);
  return true;
}

/// Of the lanes of the warp that wait at different places, it is the turn of those at `pc`.
bool IssueStage::continues(unsigned w, const Fetched& fetched) {
  const Decoded& instruction = *fetched.instruction;
  const bool control = instruction.unit == isa::Unit::kWarpControl;
  if (control && scoreboard_.waits_for(w, instruction.hazards)) return false;  // its mask decides
  const isa::Meeting meeting = core_.executor.meeting(core_.at(w, fetched.pc), instruction);
  const std::uint32_t next = core_.state[w].flow->choose(fetched.pc, meeting);
  if (next == fetched.pc) return true;
  stages_.flow.redirect(w, next);
  return false;
}

/// The way to its unit is free, the gate agrees, and the program may use floating point if it does.
bool IssueStage::may_issue(unsigned w, const Fetched& fetched, base::Cycle now) {
  if (asks_paths_ != 0 && !stages_.paths.free(fetched.instruction->kind, now)) {
    scoreboard_.retry(w, IssueReason::kUnitBusy);
    return false;
  }
  if (gate_ != nullptr && !passes_gate(w, fetched)) return false;
  return (core_.float_watch >> w & 1) == 0 ||
         stages_.flow.take(core_.executor.check_floats(core_.at(w, fetched.pc), *fetched.instruction), w,
                           fetched.pc);
}

/// Everything before the warp's next instruction is done, and the gate agrees.
bool IssueStage::passes_gate(unsigned w, const Fetched& fetched) {
  if (front_end_.is_partly_issued(w)) return true;
  const protocol::Origin origin = core_.origin(w, fetched.pc);
  if (scoreboard_.in_flight(w) == 0 &&
      !stages_.waits_for_memory(core_.at(w, fetched.pc), *fetched.instruction) &&
      gate_->may_issue({core_.now(), origin, *fetched.instruction, core_.state[w].registers}))
    return true;
  // Until it commits, its memory accesses are done, or set_gate().
  scoreboard_.block(w, IssueReason::kDrain, Scoreboard::kAnyCommit);
  return false;
}

void IssueStage::record_issued(unsigned w, const Decoded& instruction, base::Cycle now) {
  if ((core_.float_watch >> w & 1) != 0) {
    core_.executor.record_floats(w, instruction);
    core_.record_state(w);
  }
  if ((shown_ >> w & 1) != 0) units_.show(instruction, now);
  if (asks_paths_ != 0) stages_.paths.take(instruction.kind, now);
}

void IssueStage::set_gate(protocol::GateIf* gate) {
  gate_ = gate;
  core_.gated = gate != nullptr;
  watched_ = shown_ | asks_paths_ | (core_.gated ? ~std::uint32_t{0} : 0);
  scoreboard_.wake_all();  // a warp that waits for something else reports so again
  core_.core.wake_now();
}

}  // namespace spica::simt_core
