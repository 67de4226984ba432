// SPDX-License-Identifier: Apache-2.0
#include "models/cache/tag_array.h"

#include <algorithm>

#include "models/base/invariant.h"

namespace spica::cache {

TagArray::TagArray(std::uint64_t sets, std::uint64_t ways, std::uint64_t banks, Replacement replacement,
                   std::uint64_t parts)
    : ways_(static_cast<unsigned>(ways)),
      part_ways_(static_cast<unsigned>(ways / parts)),
      bank_shift_(static_cast<unsigned>(__builtin_ctzll(banks))),
      set_mask_((sets & (sets - 1)) == 0 ? static_cast<std::uint32_t>(sets - 1) : 0),
      sets_(static_cast<std::uint32_t>(sets)),
      storage_((sets * ways + 3) / 4),
      there_(sets * ways, 0),
      dirty_(sets * ways, 0),
      next_(sets * parts, 0),
      replacement_(replacement) {
  ways_of_ = storage_.front().way.data();
  SPICA_INVARIANT(sets != 0);
}

unsigned TagArray::choose(base::Address line, base::Cycle turn, unsigned part) const {
  const unsigned first = first_slot(line) + part * part_ways_;
  if (replacement_ == Replacement::kRotating) return first + static_cast<unsigned>(turn % part_ways_);
  if (replacement_ == Replacement::kLru) return oldest(first);
  for (unsigned slot = first; slot < first + part_ways_; ++slot)
    if (ways_of_[slot].tag == 0) return slot;
  return first + (replacement_ == Replacement::kRandom ? random_ % part_ways_ : next_[first / part_ways_]);
}

/// Of the part of a set that begins there; an empty slot has never been used.
unsigned TagArray::oldest(unsigned first) const {
  unsigned chosen = first;
  std::uint64_t least = ways_of_[first].used;
  for (unsigned slot = first + 1; slot < first + part_ways_; ++slot) {
    const std::uint64_t used = ways_of_[slot].used;
    chosen = used < least ? slot : chosen;
    least = used < least ? used : least;
  }
  return chosen;
}

void TagArray::replace(unsigned slot, base::Address line, Sectors sectors, Sectors dirty) {
  ways_of_[slot].tag = line + 1;
  touch(slot);
  there_[slot] = sectors;
  dirty_[slot] = dirty;
  std::uint32_t& next = next_[slot / part_ways_];
  next = (slot % part_ways_ + 1) % part_ways_;
  random_ ^= random_ << 13;  // xorshift32
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
}

void TagArray::clear() {
  std::fill(storage_.begin(), storage_.end(), Ways{});
  std::fill(there_.begin(), there_.end(), Sectors{0});
  std::fill(dirty_.begin(), dirty_.end(), Sectors{0});
  std::fill(next_.begin(), next_.end(), 0);
  clock_ = 0;
  last_ = 0;
  random_ = kSeed;
}

}  // namespace spica::cache
