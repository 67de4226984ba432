// SPDX-License-Identifier: Apache-2.0
#include "models/cache/tag_array.h"

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"

namespace spica::cache {

TagArray::TagArray(std::uint64_t sets, std::uint64_t ways, std::uint64_t banks, Replacement replacement,
                   std::uint64_t parts, std::shared_ptr<const protocol::SliceMap> slices,
                   std::uint64_t line_bytes)
    : replacement_(replacement, sets * parts, static_cast<unsigned>(ways / parts)),
      ways_(static_cast<unsigned>(ways)),
      part_ways_(static_cast<unsigned>(ways / parts)),
      bank_shift_(static_cast<unsigned>(__builtin_ctzll(banks))),
      set_mask_((sets & (sets - 1)) == 0 ? static_cast<std::uint32_t>(sets - 1) : 0),
      sets_(static_cast<std::uint32_t>(sets)),
      slices_(std::move(slices)),
      line_bytes_(line_bytes),
      storage_((sets * ways + 3) / 4),
      there_(sets * ways, 0),
      dirty_(sets * ways, 0) {
  ways_of_ = storage_.front().way.data();
  SPICA_INVARIANT(sets != 0);
}

unsigned TagArray::choose(base::Address line, base::Cycle turn, unsigned part) const {
  const unsigned first = first_slot(line) + part * part_ways_;
  return first + replacement_.choose(&ways_of_[first], first / part_ways_, turn);
}

void TagArray::replace(unsigned slot, base::Address line, Sectors sectors, Sectors dirty) {
  ways_of_[slot].tag = line + 1;
  touch(slot);
  there_[slot] = sectors;
  dirty_[slot] = dirty;
  replacement_.place(slot / part_ways_, slot % part_ways_);
}

void TagArray::clear() {
  std::fill(storage_.begin(), storage_.end(), Ways{});
  std::fill(there_.begin(), there_.end(), Sectors{0});
  std::fill(dirty_.begin(), dirty_.end(), Sectors{0});
  replacement_.clear();
  last_ = 0;
}

}  // namespace spica::cache
