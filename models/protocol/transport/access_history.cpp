// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/transport/access_history.h"

#include <algorithm>
#include <unordered_set>

namespace spica::protocol {

void AccessHistory::compact() {
  std::unordered_set<std::uint64_t> seen;
  seen.reserve(std::min(most_, log_.size()));
  std::vector<std::uint64_t> kept;
  for (auto entry = log_.rbegin(); entry != log_.rend() && kept.size() < most_; ++entry)
    if (seen.insert(*entry).second) kept.push_back(*entry);
  log_.assign(kept.rbegin(), kept.rend());
}

std::vector<AccessHistory::Access> AccessHistory::accesses() {
  compact();
  std::vector<Access> result;
  result.reserve(log_.size());
  for (const std::uint64_t entry : log_)
    result.push_back(
        {(entry >> kLowBits) * kBytes, static_cast<unsigned>(entry >> 1 & 0xFFFF), (entry & 1) != 0});
  return result;
}

}  // namespace spica::protocol
