// SPDX-License-Identifier: Apache-2.0
#include "models/cache/replacement.h"

#include <algorithm>

namespace spica::cache {

unsigned ReplacementState::choose(const Way* ways, std::size_t group, base::Cycle turn) const {
  if (policy_ == Replacement::kRotating) return static_cast<unsigned>(turn % ways_);
  if (policy_ == Replacement::kLru) return oldest(ways);
  for (unsigned way = 0; way < ways_; ++way)
    if (ways[way].tag == 0) return way;
  return policy_ == Replacement::kRandom ? random_ % ways_ : next_[group];
}

/// An empty one has never been used.
unsigned ReplacementState::oldest(const Way* ways) const {
  unsigned chosen = 0;
  std::uint64_t least = ways[0].used;
  for (unsigned way = 1; way < ways_; ++way) {
    const std::uint64_t used = ways[way].used;
    chosen = used < least ? way : chosen;
    least = used < least ? used : least;
  }
  return chosen;
}

void ReplacementState::place(std::size_t group, unsigned way) {
  next_[group] = (way + 1) % ways_;
  random_ ^= random_ << 13;  // xorshift32
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
}

void ReplacementState::clear() {
  std::fill(next_.begin(), next_.end(), 0);
  clock_ = 0;
  random_ = kSeed;
}

}  // namespace spica::cache
