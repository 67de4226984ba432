// SPDX-License-Identifier: Apache-2.0
#include "models/base/stat_window.h"

#include <utility>

namespace spica::base {

std::size_t StatLayout::place(const void* statistic) const {
  if (places_.empty()) {
    std::size_t size = 0;
    for (const StatGroup* group : groups_) {
      for (const StatGroup::Entry& entry : group->counters()) places_[&entry.counter] = size++;
      for (const CycleAccount& account : group->accounts()) {
        places_[&account] = size;
        size += account.size();
      }
    }
  }
  return places_.at(statistic);
}

std::vector<std::uint64_t> StatLayout::values() const {
  std::vector<std::uint64_t> result;
  for (const StatGroup* group : groups_) {
    for (const StatGroup::Entry& entry : group->counters()) result.push_back(entry.counter.value());
    for (const CycleAccount& account : group->accounts())
      for (std::size_t i = 0; i < account.size(); ++i) result.push_back(account.cycles(i));
  }
  return result;
}

StatWindow::StatWindow(const StatLayout& layout, std::vector<std::uint64_t> begin,
                       std::vector<std::uint64_t> end)
    : layout_(&layout), difference_(std::move(end)) {
  for (std::size_t i = 0; i < begin.size(); ++i) difference_[i] -= begin[i];
}

std::vector<std::uint64_t> StatWindow::cycles(const CycleAccount& account) const {
  const auto first = difference_.begin() + static_cast<std::ptrdiff_t>(layout_->place(&account));
  return {first, first + static_cast<std::ptrdiff_t>(account.size())};
}

}  // namespace spica::base
