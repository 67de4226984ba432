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

/// A table of names, values, percentages of their sum and bars, largest first (equal ones by name), without zeros.
/// Lines are indented by four blanks; "" if all values are 0.
std::string percent_table(std::vector<Share> shares, const Terminal& terminal);

/// A table of the cycles of an account.
std::string percent_table(const base::CycleAccount& account, const Terminal& terminal);

/// A title line and its table; nothing if all shares are 0.
void print_shares(std::ostream& out, const std::string& title, std::vector<Share> shares,
                  const Terminal& terminal = detect_terminal(1));

}  // namespace spica::report
