// SPDX-License-Identifier: Apache-2.0
#include "models/cache/tag_array.h"

#include <algorithm>
#include <cassert>

namespace spica::cache {

TagArray::TagArray(std::uint64_t sets, std::uint64_t ways, std::uint64_t banks,
                   Replacement replacement)
    : ways_of_(sets * ways),
      ways_(static_cast<unsigned>(ways)),
      bank_shift_(static_cast<unsigned>(__builtin_ctzll(banks))),
      set_mask_(static_cast<std::uint32_t>(sets - 1)),
      dirty_(sets * ways, 0),
      next_(sets, 0),
      replacement_(replacement) {
  assert(sets != 0 && (sets & (sets - 1)) == 0);
}

unsigned TagArray::choose(base::Address line) const {
  const unsigned first = first_slot(line);
  for (unsigned slot = first; slot < first + ways_; ++slot)
    if (ways_of_[slot].tag == 0) return slot;
  switch (replacement_) {
    case Replacement::kRoundRobin:
      return first + next_[first / ways_];
    case Replacement::kRandom:
      return first + random_ % ways_;
    case Replacement::kLru:
      break;
  }
  const auto set = ways_of_.begin() + first;
  const auto oldest = std::min_element(set, set + ways_, [](const Way& a, const Way& b) { return a.used < b.used; });
  return static_cast<unsigned>(oldest - ways_of_.begin());
}

void TagArray::replace(unsigned slot, base::Address line, bool dirty) {
  assert(find(line) == kMiss);
  ways_of_[slot] = {line + 1, ++clock_};
  dirty_[slot] = dirty;
  std::uint32_t& next = next_[slot / ways_];
  next = (slot % ways_ + 1) % ways_;
  random_ ^= random_ << 13;  // xorshift32
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
}

void TagArray::clear() {
  std::fill(ways_of_.begin(), ways_of_.end(), Way{});
  std::fill(dirty_.begin(), dirty_.end(), std::uint8_t{0});
  std::fill(next_.begin(), next_.end(), 0);
  clock_ = 0;
  last_ = 0;
  random_ = kSeed;
}

}  // namespace spica::cache
