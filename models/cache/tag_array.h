// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/types.h"
#include "models/cache/replacement.h"
#include "models/cache/sectors.h"
#include "models/protocol/payload/slice_map.h"

namespace spica::cache {

/// Tags, valid and dirty sectors, and replacement state of one bank. A line is named by its number (address / line
/// size); the bank number is in its low bits and is not part of the set index. In a slice the set follows from the
/// offset in the slice.
class TagArray {
 public:
  static constexpr unsigned kMiss = ~0u;

  /// The line that replace() evicts.
  struct Evicted {
    bool valid = false;
    Sectors dirty = 0;
    base::Address line = 0;
  };

  /// `banks` is a power of two; `parts` divides `ways`. `slices`: of which the tags are one, with lines of
  /// `line_bytes`; nullptr: none.
  TagArray(std::uint64_t sets, std::uint64_t ways, std::uint64_t banks, Replacement replacement,
           std::uint64_t parts = 1, std::shared_ptr<const protocol::SliceMap> slices = nullptr,
           std::uint64_t line_bytes = 1);
  TagArray(TagArray&&) = default;  // the storage does not move

  /// Slot of the line, or kMiss. A hit makes it the most recently used line of its set.
  unsigned lookup(base::Address line) {
    if (ways_of_[last_].tag == line + 1) return last_;
    const unsigned slot = find(line);
    if (slot != kMiss) touch(slot);
    return slot;
  }
  /// The same without touching the replacement state.
  unsigned find(base::Address line) const {
    const unsigned first = first_slot(line);
    for (unsigned slot = first; slot < first + ways_; ++slot)
      if (ways_of_[slot].tag == line + 1) return slot;
    return kMiss;
  }
  /// Those of `sectors` that are absent.
  Sectors missing(unsigned slot, Sectors sectors) const {
    return static_cast<Sectors>(sectors & ~there_[slot]);
  }
  /// Adds arrived sectors, and which of them are dirty, to the line in that slot.
  void add(unsigned slot, Sectors sectors, Sectors dirty) {
    there_[slot] |= sectors;
    dirty_[slot] |= dirty;
  }
  Sectors dirty(unsigned slot) const { return dirty_[slot]; }

  /// The slot of a partition that the line would replace (`turn`: counter of Replacement::kRotating), and its contents.
  unsigned choose(base::Address line, base::Cycle turn, unsigned part = 0) const;
  Evicted content(unsigned slot) const {
    return {ways_of_[slot].tag != 0, dirty_[slot], ways_of_[slot].tag - 1};
  }
  unsigned part(unsigned slot) const { return slot % ways_ / part_ways_; }
  /// Places these sectors of the line in the chosen slot. The line must be absent.
  void replace(unsigned slot, base::Address line, Sectors sectors, Sectors dirty);
  /// Makes a line present and clean, without an access.
  void install(base::Address line, Sectors sectors) {
    if (lookup(line) == kMiss) replace(choose(line, 0), line, sectors, 0);
  }
  void clear();

  /// Not saved: ways_of_, which points into storage_; slices_, line_bytes_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(replacement_, last_, storage_, there_, dirty_);
  }

 private:
  unsigned first_slot(base::Address line) const {
    const base::Address row = (slices_ == nullptr ? line : line_of_slice(line)) >> bank_shift_;
    return static_cast<unsigned>(set_mask_ != 0 ? row & set_mask_ : row % sets_) * ways_;
  }
  base::Address line_of_slice(base::Address line) const {
    return slices_->home(line * line_bytes_).offset / line_bytes_;
  }
  /// Four ways fill a cache line of the host.
  struct alignas(64) Ways {
    std::array<Way, 4> way;
  };
  void touch(unsigned slot) {
    replacement_.touch(ways_of_[slot]);
    last_ = slot;
  }

  // The member used by every look-up comes first.
  Way* ways_of_;  // by slot
  ReplacementState replacement_;
  unsigned last_ = 0;  // the slot used last, often used next
  const unsigned ways_;
  const unsigned part_ways_;  // ways of each partition
  const unsigned bank_shift_;
  const std::uint32_t set_mask_;  // 0: the number of sets is 1 or not a power of two
  const std::uint32_t sets_;
  const std::shared_ptr<const protocol::SliceMap> slices_;  // nullptr: not a slice
  const std::uint64_t line_bytes_;
  std::vector<Ways> storage_;
  std::vector<Sectors> there_, dirty_;  // by slot
};

}  // namespace spica::cache
