// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "models/base/stats.h"
#include "platform/observe/report/style.h"

namespace spica::report {

struct Share {
  std::string name;
  std::uint64_t value = 0;
};

/// Names, values, percent of their sum and bars, largest first (equal ones by name), none that are
/// 0. Lines indented by four blanks; "" when all are 0.
std::string percent_table(std::vector<Share> shares, const Terminal& terminal);

/// Where the cycles of an account went.
std::string percent_table(const base::CycleAccount& account, const Terminal& terminal);

/// A line of title as given and the table below it; nothing at all when all shares are 0.
void print_shares(std::ostream& out, const std::string& title, std::vector<Share> shares,
                  const Terminal& terminal = detect_terminal(1));

}  // namespace spica::report
