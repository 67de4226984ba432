// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/percent_table.h"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <tuple>

#include "platform/base/text/number_format.h"
#include "platform/observe/report/text_table.h"

namespace spica::report {

namespace {

constexpr unsigned kBarWidth = 24;

}  // namespace

std::string percent_table(std::vector<Share> shares, const Terminal& terminal) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0, [](double sum, const Share& share) {
    return sum + static_cast<double>(share.value);
  });
  std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
    return std::tie(b.value, a.name) < std::tie(a.value, b.name);
  });
  using Align = TextTable::Align;
  TextTable table({{""}, {"", Align::kRight}, {"", Align::kRight}, {""}});
  for (const Share& share : shares) {
    if (share.value == 0) continue;
    const double value = static_cast<double>(share.value);
    table.add({share.name, text::scaled(value), text::percent(value / total),
               bar(value / total, kBarWidth, terminal)});
  }
  return table.text(4);
}

std::string percent_table(const base::CycleAccount& account, const Terminal& terminal) {
  std::vector<Share> shares;
  for (std::size_t i = 0; i < account.size(); ++i)
    shares.push_back({std::string(account.reason(i)), account.cycles(i)});
  return percent_table(std::move(shares), terminal);
}

void print_shares(std::ostream& out, const std::string& title, std::vector<Share> shares,
                  const Terminal& terminal) {
  const std::string table = percent_table(std::move(shares), terminal);
  if (!table.empty()) out << colored(title, Color::kBold, terminal) << '\n' << table;
}

}  // namespace spica::report
