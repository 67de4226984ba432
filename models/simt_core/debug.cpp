// SPDX-License-Identifier: Apache-2.0
// What a debugger does with a core: holds its warps between two instructions, and looks at them there.
#include "models/isa/csr.h"
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

void SimtCore::set_gate(protocol::GateIf* gate) {
  gate_ = gate;
  blocked_ = 0;  // whoever waits for something else says so again
  wake_now();
}

/// Warp `w` may execute its next instruction: everything before it is done, and the gate agrees.
bool SimtCore::pass_gate(unsigned w, const Fetched& fetched) {
  Warp& warp = warps_[w];
  if (warp.sequencer.active()) return true;  // a tensor instruction that has begun
  const bool drained = warp.in_flight == 0 && !waits_for_memory(w, *fetched.instruction);
  if (drained && gate_->may_issue({now(), origin(w, fetched.pc, state_[w].simt.mask()), *fetched.instruction,
                                   state_[w].registers}))
    return true;
  blocked_ |= 1u << w;  // until it commits, its memory accesses are done, or set_gate()
  warp.awaited = Warp::kAnyCommit;
  waits_for_[w] = IssueReason::kDrain;
  return false;
}

std::uint32_t SimtCore::next_pc(unsigned index) const {
  const Warp& warp = warps_[index];
  const std::uint32_t bit = 1u << index;
  if ((state_.active() & bit) == 0 || state_.halted_by(index)) return warp.issue_pc;
  if (!warp.buffer.empty()) return warp.buffer.front().pc;
  const bool fetch_under_way = (locked_ & bit) != 0 && (resolving_ & bit) == 0 && (discards_ & bit) == 0;
  return fetch_under_way ? warp.pc - 4 : warp.pc;
}

void SimtCore::set_pc(unsigned index, std::uint32_t pc) {
  if ((state_.at_barrier() >> index & 1) != 0) warps_[index].pc = pc;  // nothing is fetched; it stays there
  else redirect(index, pc);
  wake_now();
}

bool SimtCore::at_rest() const {
  if (!load_store_.idle() || !completions_.empty() || pending_units_ != 0) return false;
  for (unsigned w = 0; w < warps_.size(); ++w)
    if (warps_[w].in_flight != 0 && !state_.halted_by(w)) return false;
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
