// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/issue_account.h"

#include <algorithm>

#include "models/simt_core/pipeline/dispatcher.h"

namespace spica::simt_core {

void IssueAccount::charge_change(base::Cycle now, bool busy_next) {
  if (issued_ != 0) {
    if (!issuing_) core_.stats.issue.charge(static_cast<unsigned>(IssueReason::kIssued), now);
    issuing_ = true;
    const auto last = 31u - static_cast<unsigned>(__builtin_clz(issued_));
    notify_slot(IssueReason::kIssued, {last, pcs_[last]}, now);
  }
  if (issued_ == 0 || !busy_next) {
    const base::Cycle from = issued_ != 0 ? now + 1 : now;
    const bool held = issued_ == 0 && port_taken(now) && scoreboard_.unblocked(front_end_.buffered()) != 0 &&
                      !core_.state.halted();
    const IssueReason reason = held ? IssueReason::kRegisterPort : reason_to_wait();
    core_.stats.issue.charge(static_cast<unsigned>(reason), from);
    issuing_ = false;
    if (core_.watchers.any()) notify_slot(reason, waiting_for(reason), from);
  }
  if (core_.watchers.probe() != nullptr) notify_warps(now);
}

/// The warp and instruction that time spent for `reason` belongs to.
IssueAccount::Waiting IssueAccount::waiting_for(IssueReason reason) const {
  const std::uint32_t running = core_.state.running();
  const auto first = [](std::uint32_t warps) { return static_cast<unsigned>(__builtin_ctz(warps)); };
  if (reason == IssueReason::kNoWarp) return {0, PcProfile::kNoPc};
  if (reason == IssueReason::kBarrier)
    return {first(core_.state.active()), pcs_[first(core_.state.active())]};
  if (reason == IssueReason::kFetch && (running & ~front_end_.resolving() & ~front_end_.buffered()) != 0) {
    const unsigned w = first(running & ~front_end_.resolving() & ~front_end_.buffered());
    return {w, front_end_.fetch_pc(w)};  // the one under way, or to be sent
  }
  const std::uint32_t buffered = running & front_end_.buffered();
  for (std::uint32_t rest = buffered; rest != 0; rest &= rest - 1) {
    if (scoreboard_.reason(first(rest)) == reason) return {first(rest), front_end_.front(first(rest)).pc};
  }
  if (buffered != 0) return {first(buffered), front_end_.front(first(buffered)).pc};
  return {first(running), pcs_[first(running)]};  // resolves
}

IssueReason IssueAccount::reason_to_wait() const {
  if (core_.state.active() == 0) return IssueReason::kNoWarp;
  const std::uint32_t running = core_.state.running();
  if (running == 0) return IssueReason::kBarrier;
  const std::uint32_t buffered = running & front_end_.buffered();
  if (buffered != 0) {
    IssueReason nearest = IssueReason::kCount;
    for (std::uint32_t rest = buffered; rest != 0; rest &= rest - 1)
      nearest = std::min(nearest, scoreboard_.reason(static_cast<unsigned>(__builtin_ctz(rest))));
    if (units_.fence_at_head() && nearest > IssueReason::kUnitBusy) return IssueReason::kFence;
    return nearest;
  }
  if ((running & ~front_end_.resolving()) != 0) return IssueReason::kFetch;
  return IssueReason::kControl;
}

void IssueAccount::notify_slot(IssueReason reason, const Waiting& waiting, base::Cycle from) const {
  if (!core_.watchers.any()) return;
  const bool no_warp = waiting.pc == PcProfile::kNoPc;
  core_.watchers.issue_slot(from, core_.identity.core,
                            no_warp ? protocol::Origin{} : core_.origin(waiting.warp, waiting.pc), reason);
}

/// What a warp does in this cycle, seen at its end.
IssueReason IssueAccount::doing(unsigned w, bool port_taken) const {
  const std::uint32_t bit = 1u << w;
  if ((issued_ & bit) != 0) return IssueReason::kIssued;
  if ((core_.state.active() & bit) == 0) return IssueReason::kNoWarp;
  if ((core_.state.at_barrier() & bit) != 0) return IssueReason::kBarrier;
  if ((front_end_.buffered() & bit) == 0)
    return (front_end_.resolving() & bit) != 0 ? IssueReason::kControl : IssueReason::kFetch;
  if (port_taken && (scoreboard_.blocked() & bit) == 0) return IssueReason::kRegisterPort;
  if ((passed_over_ & bit) != 0) return IssueReason::kNotSelected;
  const IssueReason waits_for = scoreboard_.reason(w);
  return units_.fence_at_head() && waits_for > IssueReason::kUnitBusy ? IssueReason::kFence : waits_for;
}

/// The instruction that a state is about.
std::uint32_t IssueAccount::pc_of(unsigned w, IssueReason state) const {
  if (state == IssueReason::kIssued || state == IssueReason::kBarrier || state == IssueReason::kControl)
    return pcs_[w];
  if ((front_end_.buffered() >> w & 1) != 0) return front_end_.front(w).pc;
  if (state == IssueReason::kFetch) return front_end_.fetch_pc(w);
  return pcs_[w];
}

/// Notifies the probe of warps whose state changed.
void IssueAccount::notify_warps(base::Cycle now) {
  for (unsigned w = 0; w < core_.state.warps(); ++w) {
    const IssueReason state = doing(w, port_taken(now));
    const std::uint32_t pc = pc_of(w, state);
    if (state == reported_[w].state && (pc == reported_[w].pc || state == IssueReason::kNoWarp)) continue;
    reported_[w] = {state, pc};
    core_.watchers.probe()->on_warp_state(now, core_.origin(w, pc), static_cast<unsigned>(state));
  }
}

void IssueAccount::reset(base::Cycle now) {
  issued_ = passed_over_ = 0;
  issuing_ = false;
  pcs_.fill(0);
  reported_.fill({});
  core_.stats.issue.charge(static_cast<unsigned>(IssueReason::kNoWarp), now);
}

}  // namespace spica::simt_core
