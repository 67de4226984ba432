// SPDX-License-Identifier: Apache-2.0
#include "models/base/stat_window.h"

#include <utility>

namespace spica::base {

void StatLayout::add(const StatGroup& group) {
  groups_.push_back(&group);
  for (const StatGroup::Entry& entry : group.counters()) places_[&entry.counter] = size_++;
  for (const CycleAccount& account : group.accounts()) {
    places_[&account] = size_;
    size_ += account.size();
  }
}

std::vector<std::uint64_t> StatLayout::values() const {
  std::vector<std::uint64_t> result;
  result.reserve(size_);
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
