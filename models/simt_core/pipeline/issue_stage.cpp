// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/issue_stage.h"

#include "models/base/hot_inline.h"

namespace spica::simt_core {

void IssueStage::tick(base::Cycle now, std::uint32_t candidates) {
  if (core_.state.halted() || core_.third_port_taken == now) return;
  for (std::uint32_t rest = candidates; rest != 0; rest &= rest - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(rest));
    const bool issued = front_end_.has_begun(w)
                            ? units_.go_on(w, now)
                            : try_issue(w, front_end_.front(w), now, (rest & (rest - 1)) == 0);
    if (!issued) {
      if (core_.state.halted()) break;
      continue;
    }
    if (!front_end_.drop(w)) continue;
    const Decoded& next = *front_end_.front(w).instruction;
    if (next.kind != UnitKind::kTensor && !core_.every_cycle_counts())
      scoreboard_.waits_for(w, next.hazards);  // that spares the attempt in the next cycle
  }
  units_.end_of_issue();
}

/// True: the warp's next instruction has issued, and leaves the instruction buffer.
SPICA_HOT_INLINE bool IssueStage::try_issue(unsigned w, const Fetched& fetched, base::Cycle now, bool last) {
  const Decoded& instruction = *fetched.instruction;
  const bool watched = ((core_.float_watch | gated_ | shown_) >> w & 1) != 0;
  if (__builtin_expect(watched, 0) && !may_issue(w, fetched)) return false;
  const isa::ControlFlow& flow = *core_.state[w].flow;
  if (__builtin_expect(flow.parked(), 0) && !goes_on(w, fetched.pc)) return false;
  // A tensor instruction issues in parts, each with its own registers.
  const bool whole = instruction.kind != UnitKind::kTensor;
  if (whole && scoreboard_.waits_for(w, instruction.hazards)) return false;
  if (!units_.offer({w, now, flow.mask(), flow.active_lanes(), last, fetched.pc, instruction})) {
    if (!whole && stages_.account.issued_now(w)) front_end_.begin(w);
    return false;
  }
  if (__builtin_expect(watched, 0)) note_issued(w, instruction, now);
  return true;
}

/// Of the lanes of the warp that wait at different places, it is the turn of those at `pc`.
bool IssueStage::goes_on(unsigned w, std::uint32_t pc) {
  const std::uint32_t next = core_.state[w].flow->choose(pc);
  if (next == pc) return true;
  stages_.flow.redirect(w, next);
  return false;
}

/// The gate agrees, and the program may use floating point if it does.
bool IssueStage::may_issue(unsigned w, const Fetched& fetched) {
  if (gate_ != nullptr && !passes_gate(w, fetched)) return false;
  return (core_.float_watch >> w & 1) == 0 ||
         stages_.flow.take(core_.executor.check_floats(core_.at(w, fetched.pc), *fetched.instruction), w,
                           fetched.pc);
}

/// Everything before the warp's next instruction is done, and the gate agrees.
bool IssueStage::passes_gate(unsigned w, const Fetched& fetched) {
  if (front_end_.has_begun(w)) return true;
  const protocol::Origin origin = core_.origin(w, fetched.pc);
  if (scoreboard_.in_flight(w) == 0 &&
      !stages_.waits_for_memory(core_.at(w, fetched.pc), *fetched.instruction) &&
      gate_->may_issue({core_.now(), origin, *fetched.instruction, core_.state[w].registers}))
    return true;
  // Until it commits, its memory accesses are done, or set_gate().
  scoreboard_.block(w, IssueReason::kDrain, Scoreboard::kAnyCommit);
  return false;
}

void IssueStage::note_issued(unsigned w, const Decoded& instruction, base::Cycle now) {
  if ((core_.float_watch >> w & 1) != 0) {
    core_.executor.note_floats(w, instruction);
    core_.note_state(w);
  }
  if ((shown_ >> w & 1) != 0) units_.show(instruction, now);
}

void IssueStage::set_gate(protocol::GateIf* gate) {
  gate_ = gate;
  core_.gated = gate != nullptr;
  gated_ = core_.gated ? ~std::uint32_t{0} : 0;
  scoreboard_.wake_all();  // a warp that waits for something else reports so again
  core_.core.wake_now();
}

}  // namespace spica::simt_core
