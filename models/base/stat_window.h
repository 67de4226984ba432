// SPDX-License-Identifier: Apache-2.0
// What statistics counted between two moments of a run.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/base/stats.h"

namespace spica::base {

/// Gives every counter and every reason of every account of some groups a place in a row of values.
class StatLayout {
 public:
  /// A group that has all its counters; it outlives the layout.
  void add(const StatGroup& group) { groups_.push_back(&group); }
  /// All current values; settle the accounts first.
  std::vector<std::uint64_t> values() const;
  /// Place of a counter, or of an account's first reason.
  std::size_t place(const void* statistic) const;

 private:
  std::vector<const StatGroup*> groups_;
  mutable std::unordered_map<const void*, std::size_t>
      places_;  // made by the first place(), not at elaboration
};

/// The difference of two rows of values.
class StatWindow {
 public:
  /// `begin` empty: from the start of the run.
  StatWindow(const StatLayout& layout, std::vector<std::uint64_t> begin, std::vector<std::uint64_t> end);

  std::uint64_t value(const Counter& counter) const { return difference_[layout_->place(&counter)]; }
  /// By reason. The sum is the length of the window.
  std::vector<std::uint64_t> cycles(const CycleAccount& account) const;

 private:
  const StatLayout* layout_;
  std::vector<std::uint64_t> difference_;
};

}  // namespace spica::base
