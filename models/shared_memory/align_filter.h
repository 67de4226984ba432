// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/protocol/payload/warp_access.h"
#include "models/shared_memory/bank_map.h"

namespace spica::shared_memory {

/// The lanes of one warp access, sorted by their path to the banks.
template <class WordBanks>
struct BasicLaneSplit {
  WordBanks banks = 0;          // word banks of the aligned lanes
  std::uint32_t aligned = 0;    // lanes on their own words: the direct path
  std::uint32_t unaligned = 0;  // the others
  std::uint32_t offset = 0;     // contiguous: offset of lane 0
  std::uint8_t degree =
      0;      // maximum number of lanes on one word bank; with `broadcast`, of words of one bank
  bool in_range = true;         // every lane inside shared memory and inside one word
  bool contiguous = false;      // the whole warp accesses one line, lane l the l-th word from `offset`
};
using LaneSplit = BasicLaneSplit<WordBanks>;

/// Selects the direct or the unaligned path per lane (virgo memory/AlignFilterNode.scala): lane l owns the words w with
/// w mod 8 == l; in general w mod m == l mod m with m the smaller of lanes and words of a line. With `broadcast` all
/// lanes use the direct path.
template <class WordBanks>
class BasicAlignFilter {
 public:
  using BankMap = BasicBankMap<WordBanks>;
  using LaneSplit = BasicLaneSplit<WordBanks>;

  BasicAlignFilter(const SharedMemoryParams& params, const BankMap& map);

  /// Addresses are guest addresses. `split` must be new; it is filled in place because it is part of a queue entry.
  /// `shares`: lanes on one word are served together.
  void split(const protocol::WarpAccess& access, bool shares, LaneSplit& split) const;
  bool owns(unsigned lane, unsigned word) const { return ((owners_[word] >> lane) & 1) != 0; }

 private:
  void split_lanes(const protocol::WarpAccess& access, LaneSplit& split) const;
  void split_words(const protocol::WarpAccess& access, LaneSplit& split) const;
  void find_rounds(const protocol::WarpAccess& access, LaneSplit& split) const;

  /// A cached access of a whole warp: an access with the same distances between lanes and the same offset in a line
  /// uses the same banks in the same rounds. Code that walks through a matrix has few such patterns.
  struct Pattern {
    std::array<std::uint32_t, protocol::kMaxLanes> distance{};  // distance of lane l from lane 0
    std::uint32_t begin = ~0u;  // offset of lane 0 in its line; ~0: none
    std::uint32_t least = 0, most = 0;  // how far lanes lie below and above lane 0
    WordBanks banks = 0;
    std::uint8_t degree = 0;
  };
  static bool matches(const Pattern& pattern, const protocol::WarpAccess& access, std::uint32_t begin);

  const BankMap& map_;
  const std::uint32_t base_, size_;
  const unsigned lanes_;
  const std::uint32_t whole_warp_;
  const bool whole_warp_fits_line_;
  const bool broadcast_;
  std::array<std::uint32_t, 64> owners_{};  // by word of the line: lanes that own it
  const bool one_bank_;
  mutable std::array<Pattern, 32> patterns_;  // recent patterns, by hash
};
using AlignFilter = BasicAlignFilter<WordBanks>;

}  // namespace spica::shared_memory
