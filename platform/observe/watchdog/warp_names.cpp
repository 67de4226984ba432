// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/watchdog/warp_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace spica::watchdog {

std::string warp_name(const WarpFact& warp) { return fmt::format("core {}, warp {}", warp.core, warp.warp); }

std::string counted(const char* what, const std::vector<unsigned>& numbers) {
  std::string text = fmt::format("{}{} ", what, numbers.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
    if (end - i > 1) text += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string warp_names(const std::vector<const WarpFact*>& warps) {
  std::vector<std::pair<std::vector<unsigned>, std::vector<unsigned>>>
      groups;  // warps, and cores that have them
  for (std::size_t i = 0; i < warps.size();) {
    const unsigned core = warps[i]->core;
    std::vector<unsigned> numbers;
    for (; i < warps.size() && warps[i]->core == core; ++i) numbers.push_back(warps[i]->warp);
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == numbers; });
    if (known == groups.end()) groups.push_back({numbers, {core}});
    else known->second.push_back(core);
  }
  std::string text;
  for (const auto& [numbers, cores] : groups)
    text +=
        fmt::format("{}{}, {}", text.empty() ? "" : "; ", counted("core", cores), counted("warp", numbers));
  return text;
}

}  // namespace spica::watchdog
