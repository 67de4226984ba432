// SPDX-License-Identifier: Apache-2.0
#include "models/isa/min_pc.h"

#include <algorithm>
#include <cstddef>

namespace spica::isa {

void MinPc::park(std::uint32_t lanes, std::uint32_t pc) {
  groups_.push_back({lanes, pc, 0, Meeting::kNone});
  set_mask(mask() & ~lanes);
  parked_ |= lanes;
}

/// Of two groups, `a` runs first: by urgency, then by the smaller pc, overdue groups by how long they have waited.
bool MinPc::precedes(const Group& a, const Group& b) {
  enum class Urgency : std::uint8_t { kOverdue, kRuns, kWaitsForOthers, kNeedsAll, kEnded };
  const auto urgency = [](const Group& group) {
    if (group.lanes == 0) return Urgency::kEnded;
    if (group.meeting == Meeting::kRequired) return Urgency::kNeedsAll;
    if (group.waited >= kPatience) return Urgency::kOverdue;
    return group.meeting == Meeting::kPreferred ? Urgency::kWaitsForOthers : Urgency::kRuns;
  };
  const Urgency of_a = urgency(a), of_b = urgency(b);
  if (of_a != of_b) return of_a < of_b;
  if (of_a == Urgency::kOverdue && a.waited != b.waited) return a.waited > b.waited;
  return a.pc < b.pc;
}

std::uint32_t MinPc::choose(std::uint32_t pc, Meeting meeting) {
  Group active{mask(), pc, 0, meeting};
  for (Group& group : groups_) ++group.waited;
  if (turn_ != 0 && active.lanes != 0 && meeting != Meeting::kRequired) {
    --turn_;
  } else {
    turn_ = 0;
    const auto first = std::min_element(groups_.begin(), groups_.end(), precedes);
    if (precedes(*first, active)) {
      if (first->waited >= kPatience) turn_ = kPatience;
      std::swap(*first, active);
      first->waited = active.waited = 0;
    }
  }
  const auto runs_along = [&](const Group& group) { return group.pc == active.pc || group.lanes == 0; };
  for (const Group& group : groups_)
    if (runs_along(group)) active.lanes |= group.lanes;
  groups_.erase(std::remove_if(groups_.begin(), groups_.end(), runs_along), groups_.end());
  set_mask(active.lanes);
  count_parked();
  if (!parked()) turn_ = 0;
  return active.pc;
}

void MinPc::count_parked() {
  parked_ = 0;
  for (const Group& group : groups_) parked_ |= group.lanes;
}

std::vector<ControlFlow::Entry> MinPc::open() const {
  std::vector<Entry> entries;
  for (const Group& group : groups_) entries.push_back({mask() | group.lanes, group.lanes, group.pc, false});
  return entries;
}

std::vector<std::uint32_t> MinPc::state() const {
  std::vector<std::uint32_t> words{turn_};
  for (const Group& group : groups_)
    words.insert(words.end(),
                 {group.lanes, group.pc, group.waited, static_cast<std::uint32_t>(group.meeting)});
  return words;
}

void MinPc::restore(const std::vector<std::uint32_t>& words) {
  clear();
  turn_ = words.at(0);
  for (std::size_t i = 1; i + 3 < words.size(); i += 4)
    groups_.push_back({words[i], words[i + 1], words[i + 2], static_cast<Meeting>(words[i + 3])});
  count_parked();
}

void MinPc::clear() {
  groups_.clear();
  parked_ = turn_ = 0;
}

}  // namespace spica::isa
