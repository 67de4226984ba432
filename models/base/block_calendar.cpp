// SPDX-License-Identifier: Apache-2.0
#include "models/base/block_calendar.h"

namespace spica::base {

BlockCalendar::Group& BlockCalendar::group(std::size_t place) {
  if (place == groups_.size()) {
    groups_.push_back(std::make_unique<Group>());
    groups_.back()->place = place;
  }
  return *groups_[place];
}

BlockCalendar::Seat& BlockCalendar::add(Clocked& block) {
  const bool full = groups_.empty() || groups_.back()->seated == kGroup;
  Group& last = group(full ? groups_.size() : groups_.size() - 1);
  Seat& seat = last.seats[last.seated];
  seat = {kNever, std::uint64_t{1} << last.seated++, &last, &block};
  return seat;
}

void BlockCalendar::link(Group& group) {
  Group** before = &first_;
  while (*before != nullptr && (*before)->place < group.place) before = &(*before)->next;
  group.awake = true;
  group.next = *before;
  *before = &group;
}

void BlockCalendar::plan(Cycle now, Cycle limit) {
  for (Group** link = &first_; *link != nullptr;) {
    Group& group = **link;
    group.due.clear();
    group.awake = false;
    for (unsigned i = 0; i < group.seated; ++i) {
      const Seat& seat = group.seats[i];
      if (seat.wake == kNever) continue;
      group.awake = true;
      if (seat.wake < limit) enter(seat, std::max(now, seat.wake));
    }
    if (group.awake) link = &group.next;
    else *link = group.next;
  }
}

Cycle BlockCalendar::earliest() const {
  Cycle first = kNever;
  for (const Group* group = first_; group != nullptr; group = group->next)
    for (unsigned i = 0; i < group->seated; ++i) first = std::min(first, group->seats[i].wake);
  return first;
}

void BlockCalendar::forget() {
  for_each([](Seat& seat) { seat.wake = kNever; });
}

}  // namespace spica::base
