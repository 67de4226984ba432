// SPDX-License-Identifier: Apache-2.0
#include "models/isa/min_pc.h"

#include <algorithm>
#include <cstddef>

namespace spica::isa {

SplitResult MinPc::split(std::uint32_t condition, std::uint32_t next_pc) {
  const std::uint32_t chosen = condition & mask();
  const bool diverged = chosen != 0 && chosen != mask();
  if (diverged) {
    park(mask() & ~chosen, next_pc);
    groups_.back().apart = true;
  }
  if (parked()) apart_at_ = next_pc;
  return {diverged, false};
}

void MinPc::park(std::uint32_t lanes, std::uint32_t pc) {
  groups_.push_back({lanes, pc});
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

/// Merges the sides of a split that are at `pc`.
void MinPc::reconverge_at(std::uint32_t pc) {
  for (Group& group : groups_) group.apart = group.apart && group.pc != pc;
  if (apart_at_ == pc) apart_at_ = kNowhere;
}

std::uint32_t MinPc::choose(std::uint32_t pc, Meeting meeting) {
  if (meeting == Meeting::kPreferred || meeting == Meeting::kRequired) reconverge_at(pc);
  Group active{mask(), pc, 0, meeting, pc == apart_at_};
  for (Group& group : groups_) ++group.waited;
  if (turn_ != 0 && active.lanes != 0 && meeting != Meeting::kRequired) {
    --turn_;
  } else if (meeting != Meeting::kTied) {
    turn_ = 0;
    const auto first = std::min_element(groups_.begin(), groups_.end(), precedes);
    if (precedes(*first, active)) {
      if (first->waited >= kPatience) turn_ = kPatience;
      std::swap(*first, active);
      first->waited = active.waited = 0;
    }
  }
  const auto runs_along = [&](const Group& group) {
    return (group.pc == active.pc && !group.apart && !active.apart) || group.lanes == 0;
  };
  for (const Group& group : groups_)
    if (runs_along(group)) active.lanes |= group.lanes;
  groups_.erase(std::remove_if(groups_.begin(), groups_.end(), runs_along), groups_.end());
  set_mask(active.lanes);
  apart_at_ = active.apart ? active.pc : kNowhere;
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
  std::vector<std::uint32_t> words{turn_, apart_at_};
  for (const Group& group : groups_)
    words.insert(words.end(), {group.lanes, group.pc, group.waited, static_cast<std::uint32_t>(group.meeting),
                               group.apart ? 1u : 0u});
  return words;
}

void MinPc::restore(const std::vector<std::uint32_t>& words) {
  clear();
  turn_ = words.at(0);
  apart_at_ = words.at(1);
  for (std::size_t i = 2; i + 4 < words.size(); i += 5)
    groups_.push_back(
        {words[i], words[i + 1], words[i + 2], static_cast<Meeting>(words[i + 3]), words[i + 4] != 0});
  count_parked();
}

void MinPc::clear() {
  groups_.clear();
  parked_ = turn_ = 0;
  apart_at_ = kNowhere;
}

}  // namespace spica::isa
