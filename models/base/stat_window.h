// SPDX-License-Identifier: Apache-2.0
// Statistics counted between two points of a run.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/base/stats.h"

namespace spica::base {

/// Maps every counter, and every reason of every account, of some groups to an index in a row of values.
class StatLayout {
 public:
  /// Adds a group, which must have all its counters already and outlive the layout.
  void add(const StatGroup& group) { groups_.push_back(&group); }
  /// All current values. Settle the accounts first.
  std::vector<std::uint64_t> values() const;
  /// Index of a counter, or of an account's first reason.
  std::size_t place(const void* statistic) const;

 private:
  std::vector<const StatGroup*> groups_;
  mutable std::unordered_map<const void*, std::size_t>
      places_;  // built by the first place(), not at elaboration
};

/// The difference of two rows of values.
class StatWindow {
 public:
  /// `begin` empty: from the start of the run.
  StatWindow(const StatLayout& layout, std::vector<std::uint64_t> begin, std::vector<std::uint64_t> end);

  std::uint64_t value(const Counter& counter) const { return difference_[layout_->place(&counter)]; }
  /// Cycles by reason. The sum is the length of the window.
  std::vector<std::uint64_t> cycles(const CycleAccount& account) const;

 private:
  const StatLayout* layout_;
  std::vector<std::uint64_t> difference_;
};

}  // namespace spica::base
