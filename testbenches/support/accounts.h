// SPDX-License-Identifier: Apache-2.0
// The cycle accounts of a block under test. Settle them first.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/stats.h"
#include "testbenches/support/catch.h"

namespace spica::testbench {

/// Cycles of a reason; `index`: among the accounts of one name.
inline std::uint64_t charged(const base::StatGroup& stats, std::string_view name, std::string_view reason,
                             std::size_t index = 0) {
  for (const base::CycleAccount& account : stats.accounts()) {
    if (account.name() != name || index-- != 0) continue;
    for (std::size_t i = 0; i < account.size(); ++i)
      if (account.reason(i) == reason) return account.cycles(i);
  }
  FAIL("no account " << name << " with a reason " << reason);
  return 0;
}

/// True if the reasons of each account add up to `cycles`, and none has more than them.
inline bool accounts_add_up(const base::StatGroup& stats, base::Cycle cycles) {
  for (const base::CycleAccount& account : stats.accounts()) {
    if (account.total() != cycles) return false;
    for (std::size_t i = 0; i < account.size(); ++i)
      if (account.cycles(i) > cycles) return false;
  }
  return true;
}

}  // namespace spica::testbench
