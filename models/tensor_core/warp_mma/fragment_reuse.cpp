// SPDX-License-Identifier: Apache-2.0
// Loads of fragments that another warp of the core has done (protocol::LoadReuseIf).
#include <algorithm>

#include "models/tensor_core/warp_mma/fragment_unit.h"

namespace spica::tensor_core::warp_mma {

using simt_core::Context;
using simt_core::FragmentMove;

/// The load or store of a fragment that begins (its `move` is known). True: it has issued, and nothing is left to do.
bool FragmentUnit::reuses(const Candidate& c) {
  Context& core = stages_.core;
  const FragmentMove& move = warps_[c.warp].move;
  if (c.instruction.format == isa::Format::kFragmentStore) {
    if (move.route == protocol::Route::kShared) core.hints.store(c.warp);
    return false;
  }
  // A debugger may have changed what registers or memory hold.
  if (move.route != protocol::Route::kShared || move.operand == protocol::Operand::kNone || core.gated) {
    reuse_->overwrite(c.warp, move.fragment);
    return false;
  }
  const std::int32_t form = c.instruction.imm & ~isa::kMulticastBit;
  const unsigned leader = reuse_->find(
      {static_cast<std::uint8_t>(c.warp), static_cast<std::uint8_t>(move.fragment), c.instruction.rs1,
       static_cast<std::uint8_t>(form), move.operand, move.base, move.stride});
  if (leader == protocol::LoadReuseIf::kNone) return false;
  follow(c, leader);
  return true;
}

/// The load issues, and has what `leader` has.
void FragmentUnit::follow(const Candidate& c, unsigned leader) {
  Context& core = stages_.core;
  const unsigned fragment = warps_[c.warp].move.fragment;
  stages_.scoreboard.issue(c.warp, 0);
  stages_.account.issue(c.warp, c.pc);
  core.stats.count_issue(isa::Unit::kLoad, c.lanes, c.instruction.rows_read, false);
  if (core.watchers.any()) notify_issue(c, warps_[c.warp].move.access);
  if (loads(leader, fragment)) {
    followers_.push_back({c.warp, leader, fragment, &c.instruction, c.pc});
    warps_[c.warp].loads[fragment] = 1;
    warps_[c.warp].loading |= 1u << fragment;
    stages_.accesses.begin(c.warp);
    return;
  }
  copy(leader, c.warp, fragment);
  const base::Cycle due = std::max(c.now + reuse_->latency(), warps_[leader].due[fragment]);
  stages_.commit.complete(c.now, c.warp, c.instruction, c.pc, c.lanes, due, false);
  core.core.wake_at(due);
  record_due(c.warp, fragment, due);
}

void FragmentUnit::copy(unsigned from, unsigned to, unsigned fragment) {
  const std::uint32_t* const words = stages_.core.state[from].fragments.fragment(fragment);
  std::copy_n(words, isa::kFragmentRegisters * isa::kMaxLanes,
              stages_.core.state[to].fragments.fragment(fragment));
}

/// The load of warp `w` has come: so have those that follow it.
void FragmentUnit::notify_followers(unsigned w, unsigned fragment, base::Cycle due) {
  Context& core = stages_.core;
  const auto lanes = static_cast<unsigned>(core.params.lanes);
  for (std::size_t i = 0; i < followers_.size();) {
    const Follower follower = followers_[i];
    if (follower.leader != w || follower.fragment != fragment) {
      ++i;
      continue;
    }
    followers_.erase(followers_.begin() + static_cast<std::ptrdiff_t>(i));
    copy(w, follower.warp, fragment);
    warps_[follower.warp].loads[fragment] = 0;
    arrive(follower.warp, fragment, due);
    stages_.commit.complete(core.now(), follower.warp, *follower.instruction, follower.pc, lanes, due, false);
    stages_.accesses.end(follower.warp);
    notify_followers(follower.warp, fragment, due);
    i = 0;
  }
}

std::uint32_t FragmentUnit::with_leaders(std::uint32_t warps) const {
  for (std::size_t i = followers_.size(); i-- != 0;)  // who came later may follow who came before
    if ((warps >> followers_[i].warp & 1) != 0) warps |= 1u << followers_[i].leader;
  return warps;
}

}  // namespace spica::tensor_core::warp_mma
