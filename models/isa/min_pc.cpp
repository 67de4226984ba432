// SPDX-License-Identifier: Apache-2.0
#include "models/isa/min_pc.h"

#include <algorithm>
#include <cstddef>

namespace spica::isa {

void MinPc::park(std::uint32_t lanes, std::uint32_t pc) {
  groups_.push_back({lanes, pc, 0, false});
  set_mask(mask() & ~lanes);
  parked_ = true;
}

bool MinPc::wait_for_others() {
  for_all_ = std::any_of(groups_.begin(), groups_.end(), [](const Group& group) { return !group.for_all; });
  turn_ = 0;
  return for_all_;
}

std::uint32_t MinPc::choose(std::uint32_t pc) {
  Group active{mask(), pc, 0, for_all_};
  for (Group& group : groups_) ++group.waited;
  if (turn_ != 0) {
    --turn_;
  } else {
    const auto rank = [](const Group& group) { return group.for_all ? 2 : group.waited < kPatience ? 1 : 0; };
    const auto before = [&](const Group& a, const Group& b) {
      return rank(a) != rank(b) ? rank(a) < rank(b) : a.pc < b.pc;
    };
    const auto first = std::min_element(groups_.begin(), groups_.end(), before);
    if (before(*first, active)) {
      if (rank(*first) == 0) turn_ = kPatience;
      std::swap(*first, active);
      first->waited = active.waited = 0;
    }
  }
  const auto is_there = [&](const Group& group) { return group.pc == active.pc; };
  for (const Group& group : groups_)
    if (is_there(group)) active.lanes |= group.lanes;
  groups_.erase(std::remove_if(groups_.begin(), groups_.end(), is_there), groups_.end());
  set_mask(active.lanes);
  for_all_ = false;
  parked_ = !groups_.empty();
  if (!parked_) turn_ = 0;
  return active.pc;
}

std::vector<ControlFlow::Entry> MinPc::open() const {
  std::vector<Entry> entries;
  for (const Group& group : groups_) entries.push_back({mask() | group.lanes, group.lanes, group.pc, false});
  return entries;
}

std::vector<std::uint32_t> MinPc::state() const {
  std::vector<std::uint32_t> words{turn_, for_all_};
  for (const Group& group : groups_)
    words.insert(words.end(), {group.lanes, group.pc, group.waited, std::uint32_t{group.for_all}});
  return words;
}

void MinPc::restore(const std::vector<std::uint32_t>& words) {
  clear();
  turn_ = words.at(0);
  for_all_ = words.at(1) != 0;
  for (std::size_t i = 2; i + 3 < words.size(); i += 4)
    groups_.push_back({words[i], words[i + 1], words[i + 2], words[i + 3] != 0});
  parked_ = !groups_.empty();
}

void MinPc::clear() {
  groups_.clear();
  parked_ = for_all_ = false;
  turn_ = 0;
}

}  // namespace spica::isa
