// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/issue_account.h"

#include <algorithm>

#include "models/base/count_bits.h"

namespace spica::simt_core {

void IssueAccount::count(const Fetched& fetched, std::uint32_t mask) {
  const isa::Instruction& instruction = *fetched.instruction;
  const unsigned lanes = base::count_bits(mask);
  ++stats_.warp_instructions;
  ++stats_.issues;
  stats_.thread_instructions += lanes;
  const CoreStats::OfUnit& counters = stats_.of_unit[static_cast<std::size_t>(instruction.unit)];
  ++(stats_.*counters.instructions);
  stats_.*counters.lanes += lanes;
  switch (instruction.unit) {
    case isa::Unit::kStore:
    case isa::Unit::kAtomic:
      ++stats_.stores;
      stats_.lane_stores += lanes;
      break;
    case isa::Unit::kLoad: stats_.lane_loads += lanes; break;
    case isa::Unit::kCsr: ++stats_.csr; break;
    default: break;
  }
  stats_.register_reads += instruction.rows_read;
  stats_.register_writes += instruction.writes() != 0;  // one row at most
  if (watchers_.profile != nullptr) watchers_.profile->issued(fetched.pc, instruction, lanes);
}

/// Charges this cycle, and the time until the next tick when the core goes to sleep.
void IssueAccount::charge(base::Cycle now, bool port_taken, bool busy_next) {
  if (issued_ != 0) {
    // Charged once for cycles in a row: a reset of the statistics leaves the account at this reason.
    if (!issuing_) stats_.issue.charge(static_cast<unsigned>(IssueReason::kIssued), now);
    issuing_ = true;
    if (watchers_.profile != nullptr)
      watchers_.profile->charge(watchers_.profile->last_issued(), IssueReason::kIssued, now);
    if (watchers_.probe != nullptr) {
      const auto last = 31u - static_cast<unsigned>(__builtin_clz(issued_));
      tell_slot(IssueReason::kIssued, {last, pcs_[last]}, now);
    }
    if (busy_next) return;
  }
  const base::Cycle from = issued_ != 0 ? now + 1 : now;
  const bool held =
      issued_ == 0 && port_taken && scoreboard_.unblocked(front_end_.buffered()) != 0 && !state_.halted();
  const IssueReason reason = held ? IssueReason::kRegisterPort : reason_to_wait();
  stats_.issue.charge(static_cast<unsigned>(reason), from);
  issuing_ = false;
  if (watchers_.profile == nullptr && watchers_.probe == nullptr) return;
  const Waiting who = who_waits(reason);
  if (watchers_.profile != nullptr) watchers_.profile->charge(who.pc, reason, from);
  if (watchers_.probe != nullptr) tell_slot(reason, who, from);
}

/// The warp and instruction that time spent for `reason` belongs to.
IssueAccount::Waiting IssueAccount::who_waits(IssueReason reason) const {
  const std::uint32_t running = state_.running();
  const auto first = [](std::uint32_t warps) { return static_cast<unsigned>(__builtin_ctz(warps)); };
  if (reason == IssueReason::kNoWarp) return {0, PcProfile::kNoPc};
  if (reason == IssueReason::kBarrier) return {first(state_.active()), pcs_[first(state_.active())]};
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
  if (state_.active() == 0) return IssueReason::kNoWarp;
  const std::uint32_t running = state_.running();
  if (running == 0) return IssueReason::kBarrier;
  const std::uint32_t buffered = running & front_end_.buffered();
  if (buffered != 0) {
    IssueReason nearest = IssueReason::kCount;
    for (std::uint32_t rest = buffered; rest != 0; rest &= rest - 1)
      nearest = std::min(nearest, scoreboard_.reason(static_cast<unsigned>(__builtin_ctz(rest))));
    if (load_store_.fence_at_head() && nearest > IssueReason::kUnitBusy) return IssueReason::kFence;
    return nearest;
  }
  if ((running & ~front_end_.resolving()) != 0) return IssueReason::kFetch;
  return IssueReason::kControl;
}

void IssueAccount::tell_slot(IssueReason reason, const Waiting& who, base::Cycle from) const {
  const protocol::Origin nobody;
  const bool somebody = who.pc != PcProfile::kNoPc;
  watchers_.probe->on_issue_slot(
      from, identity_.core,
      somebody ? identity_.origin(who.warp, who.pc, state_[who.warp].simt.mask()) : nobody,
      static_cast<unsigned>(reason));
}

/// What a warp does in this cycle, seen at its end.
IssueReason IssueAccount::doing(unsigned w, bool port_taken) const {
  const std::uint32_t bit = 1u << w;
  if ((issued_ & bit) != 0) return IssueReason::kIssued;
  if ((state_.active() & bit) == 0) return IssueReason::kNoWarp;
  if ((state_.at_barrier() & bit) != 0) return IssueReason::kBarrier;
  if ((front_end_.buffered() & bit) == 0)
    return (front_end_.resolving() & bit) != 0 ? IssueReason::kControl : IssueReason::kFetch;
  if (port_taken && (scoreboard_.blocked() & bit) == 0) return IssueReason::kRegisterPort;
  const IssueReason waits_for = scoreboard_.reason(w);
  return load_store_.fence_at_head() && waits_for > IssueReason::kUnitBusy ? IssueReason::kFence : waits_for;
}

/// The instruction that a state is about.
std::uint32_t IssueAccount::pc_of(unsigned w, IssueReason state) const {
  if (state == IssueReason::kIssued || state == IssueReason::kBarrier || state == IssueReason::kControl)
    return pcs_[w];
  if ((front_end_.buffered() >> w & 1) != 0) return front_end_.front(w).pc;
  if (state == IssueReason::kFetch) return front_end_.fetch_pc(w);
  return pcs_[w];
}

void IssueAccount::tell_warps(base::Cycle now, bool port_taken) {
  for (unsigned w = 0; w < state_.warps(); ++w) {
    const IssueReason state = doing(w, port_taken);
    const std::uint32_t pc = pc_of(w, state);
    if (state == told_[w].state && (pc == told_[w].pc || state == IssueReason::kNoWarp)) continue;
    told_[w] = {state, pc};
    watchers_.probe->on_warp_state(now, identity_.origin(w, pc, state_[w].simt.mask()),
                                   static_cast<unsigned>(state));
  }
}

void IssueAccount::reset(base::Cycle now) {
  issued_ = 0;
  issuing_ = false;
  pcs_.fill(0);
  told_.fill({});
  stats_.issue.charge(static_cast<unsigned>(IssueReason::kNoWarp), now);
}

}  // namespace spica::simt_core
