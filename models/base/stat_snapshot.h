// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/stats.h"
#include "models/base/types.h"

namespace spica::base {

/// What the counters and accounts of a set of blocks said between two cycles. Takes nothing from them:
/// the accounts of the blocks go on as if nobody had looked.
class StatSnapshot {
 public:
  struct Group {
    std::vector<std::uint64_t> counters;               // by index in StatGroup::counters()
    std::vector<std::vector<std::uint64_t>> accounts;  // [account][reason], cycles
  };

  StatSnapshot() = default;
  /// State before cycle `now` is executed.
  StatSnapshot(const std::vector<const StatGroup*>& groups, Cycle now) : cycle_(now) {
    groups_.reserve(groups.size());
    for (const StatGroup* group : groups) {
      Group& taken = groups_.emplace_back();
      taken.counters.reserve(group->counters().size());
      for (const StatGroup::Entry& entry : group->counters())
        taken.counters.push_back(entry.counter.value());
      for (CycleAccount account : group->accounts()) {  // a copy, closed at `now`
        account.settle(now);
        std::vector<std::uint64_t>& cycles = taken.accounts.emplace_back(account.size());
        for (std::size_t i = 0; i < account.size(); ++i) cycles[i] = account.cycles(i);
      }
    }
  }

  Cycle cycle() const { return cycle_; }
  std::size_t size() const { return groups_.size(); }
  const Group& group(std::size_t index) const { return groups_[index]; }

 private:
  Cycle cycle_ = 0;
  std::vector<Group> groups_;
};

}  // namespace spica::base
