// SPDX-License-Identifier: Apache-2.0
// What a debugger does with a core: holds its warps between two instructions, and inspects them there.
#include "models/isa/csr.h"
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

void SimtCore::set_gate(protocol::GateIf* gate) {
  gate_ = gate;
  scoreboard_.wake_all();  // a warp that waits for something else reports so again
  wake_now();
}

/// Warp `w` may execute its next instruction: everything before it is done, and the gate agrees.
bool SimtCore::pass_gate(unsigned w, const Fetched& fetched) {
  Warp& warp = warps_[w];
  if (warp.sequencer.active()) return true;  // a tensor instruction that has begun
  const bool drained = scoreboard_.in_flight(w) == 0 && !waits_for_memory(w, *fetched.instruction);
  if (drained && gate_->may_issue({now(), origin(w, fetched.pc, state_[w].simt.mask()), *fetched.instruction,
                                   state_[w].registers}))
    return true;
  // Until it commits, its memory accesses are done, or set_gate().
  scoreboard_.block(w, IssueReason::kDrain, Scoreboard::kAnyCommit);
  return false;
}

std::uint32_t SimtCore::next_pc(unsigned index) const {
  const bool goes_on = (state_.active() >> index & 1) != 0 && !state_.halted_by(index);
  return goes_on ? front_end_.next_pc(index) : account_.pc(index);
}

void SimtCore::set_pc(unsigned index, std::uint32_t pc) {
  if ((state_.at_barrier() >> index & 1) != 0)
    front_end_.jump(index, pc);  // nothing is fetched; it stays there
  else redirect(index, pc);
  wake_now();
}

bool SimtCore::at_rest() const {
  if (!load_store_.idle() || !write_back_.empty() || !units_.empty()) return false;
  for (unsigned w = 0; w < state_.warps(); ++w)
    if (scoreboard_.in_flight(w) != 0 && !state_.halted_by(w)) return false;
  return true;
}

std::uint32_t SimtCore::read_csr(unsigned w, std::uint32_t number, unsigned lane) const {
  return const_cast<Executor&>(executor_).csr_file(w, now()).read(number, lane);
}

bool SimtCore::set_csr(unsigned w, std::uint32_t number, std::uint32_t value) {
  const bool set = executor_.csr_file(w, now()).set(number, value);
  note_float_watch(w);
  return set;
}

}  // namespace spica::simt_core
