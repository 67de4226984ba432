// SPDX-License-Identifier: Apache-2.0
// What a probe is told of a core at the end of a cycle.
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

void SimtCore::tell_slot(IssueReason reason, const Waiting& who, base::Cycle from) {
  const protocol::Origin nobody;
  const bool somebody = who.pc != PcProfile::kNoPc;
  probe_->on_issue_slot(from, identity_.core,
                        somebody ? origin(who.warp, who.pc, state_[who.warp].simt.mask()) : nobody,
                        static_cast<unsigned>(reason));
}

/// What a warp does in this cycle, seen at its end.
IssueReason SimtCore::warp_state(unsigned w) const {
  const std::uint32_t bit = 1u << w;
  if ((issued_ & bit) != 0) return IssueReason::kIssued;
  if ((state_.active() & bit) == 0) return IssueReason::kNoWarp;
  if ((state_.at_barrier() & bit) != 0) return IssueReason::kBarrier;
  if ((front_end_.buffered() & bit) == 0)
    return (front_end_.resolving() & bit) != 0 ? IssueReason::kControl : IssueReason::kFetch;
  if (third_port_taken() && (scoreboard_.blocked() & bit) == 0) return IssueReason::kRegisterPort;
  const IssueReason waits_for = scoreboard_.reason(w);
  return load_store_.fence_at_head() && waits_for > IssueReason::kUnitBusy ? IssueReason::kFence : waits_for;
}

/// The instruction that a state is about.
std::uint32_t SimtCore::pc_of(unsigned w, IssueReason state) const {
  const Warp& warp = warps_[w];
  if (state == IssueReason::kIssued || state == IssueReason::kBarrier || state == IssueReason::kControl)
    return warp.issue_pc;
  if ((front_end_.buffered() >> w & 1) != 0) return front_end_.front(w).pc;
  if (state == IssueReason::kFetch) return front_end_.fetch_pc(w);
  return warp.issue_pc;
}

void SimtCore::tell_warps() {
  for (unsigned w = 0; w < warps_.size(); ++w) {
    const IssueReason state = warp_state(w);
    const std::uint32_t pc = pc_of(w, state);
    if (state == told_[w].state && (pc == told_[w].pc || state == IssueReason::kNoWarp)) continue;
    told_[w] = {state, pc};
    probe_->on_warp_state(now(), origin(w, pc, state_[w].simt.mask()), static_cast<unsigned>(state));
  }
}

}  // namespace spica::simt_core
