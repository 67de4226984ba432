// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/sample/strata.h"

#include <algorithm>

namespace spica::sample {

Strata::Strata(std::uint64_t units, std::uint64_t count, std::uint64_t seed, bool last_alone)
    : random_(seed) {
  const std::uint64_t alone = last_alone ? 1 : 0, divided = units - alone, parts = count - alone;
  for (std::uint64_t i = 0; i < parts; ++i) {
    const std::uint64_t begin = divided * i / parts, end = divided * (i + 1) / parts;
    all_.push_back({begin, end, draw(begin, end)});
  }
  if (last_alone) all_.push_back({units - 1, units, units - 1});
}

/// Standard distributions differ between libraries; the bias of the remainder is below 1e-12.
std::uint64_t Strata::draw(std::uint64_t begin, std::uint64_t end) {
  return begin + random_() % (end - begin);
}

void Strata::split(const std::vector<std::size_t>& which) {
  std::vector<Stratum> halves;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const Stratum& one = all_[i];
    if (one.size() < 2 || !std::binary_search(which.begin(), which.end(), i)) {
      halves.push_back(one);
      continue;
    }
    const std::uint64_t middle = one.begin + one.size() / 2;
    const bool first = one.drawn < middle;
    halves.push_back({one.begin, middle, first ? one.drawn : draw(one.begin, middle)});
    halves.push_back({middle, one.end, first ? draw(middle, one.end) : one.drawn});
  }
  all_ = std::move(halves);
}

}  // namespace spica::sample
