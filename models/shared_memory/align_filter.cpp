// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/align_filter.h"

#include <algorithm>

namespace spica::shared_memory {

template <class WordBanks>
BasicAlignFilter<WordBanks>::BasicAlignFilter(const SharedMemoryParams& params, const BankMap& map)
    : map_(map),
      base_(static_cast<std::uint32_t>(params.base)),
      size_(static_cast<std::uint32_t>(params.size)),
      lanes_(static_cast<unsigned>(params.lanes)),
      whole_warp_(params.lanes >= 32 ? ~0u : (1u << params.lanes) - 1),
      whole_warp_fits_line_(params.word_bytes == 4 && params.lanes <= params.words),
      broadcast_(params.broadcast),
      one_bank_(params.banks == 1) {
  const auto period = static_cast<unsigned>(std::min(params.lanes, params.words));
  for (unsigned word = 0; word < params.words; ++word)
    for (unsigned lane = 0; lane < lanes_; ++lane)
      if (params.broadcast || word % period == lane % period) owners_[word] |= 1u << lane;
}

template <class WordBanks>
void BasicAlignFilter<WordBanks>::split(const protocol::WarpAccess& access, bool shares,
                                        LaneSplit& split) const {
  // The common case first: all lanes on consecutive words, lane 0 on its own word.
  if (access.mask == whole_warp_ && access.bytes == 4 && whole_warp_fits_line_) {
    const std::uint32_t offset = access.address[0] - base_;
    if (access.consecutive(lanes_) && offset < size_ && offset % 4 == 0 && owns(0, map_.word(offset)) &&
        map_.in_one_line(offset, 4 * lanes_)) {
      split.banks = map_.span(offset, 4 * lanes_);
      split.aligned = access.mask;
      split.offset = offset;
      split.degree = 1;
      split.contiguous = true;
      return;
    }
  }
  if (broadcast_ && shares) split_words(access, split);
  else split_lanes(access, split);
}

template <class WordBanks>
bool BasicAlignFilter<WordBanks>::matches(const Pattern& pattern, const protocol::WarpAccess& access,
                                          std::uint32_t begin) {
  if (pattern.begin != begin) return false;
  std::uint32_t different = 0;  // without branches, for the host's vector unit
  for (unsigned lane = 0; lane < protocol::kMaxLanes; ++lane)
    different |= (access.address[lane] - access.address[0]) ^ pattern.distance[lane];
  return different == 0;
}

template <class WordBanks>
void BasicAlignFilter<WordBanks>::split_words(const protocol::WarpAccess& access, LaneSplit& split) const {
  std::uint32_t outside = 0;  // lanes, a bit each
  const std::uint32_t base = base_, size = size_, inside = access.bytes - 1u;
  if (access.mask != ~0u || !one_bank_ || access.bytes != 4) {
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const std::uint32_t offset = access.address[static_cast<unsigned>(__builtin_ctz(rest))] - base;
      outside |= static_cast<std::uint32_t>(offset >= size) | (offset & inside);
    }
    split.in_range = outside == 0;
    if (split.in_range) find_rounds(access, split);
    return;
  }
  const std::uint32_t first = access.address[0] - base, begin = first & (map_.line_bytes() - 1);
  const auto hash = [&](unsigned lane) { return (access.address[lane] - access.address[0]) >> 2; };
  Pattern& pattern = patterns_[(begin / 4 + hash(1) * 5 + hash(8) * 7 + hash(31) * 11) % patterns_.size()];
  if (!matches(pattern, access, begin)) {
    std::uint32_t least = first, most = first;
    for (const std::uint32_t address : access.address) {
      const std::uint32_t offset = address - base;
      outside |= static_cast<std::uint32_t>(offset >= size) | (offset & inside);
      least = std::min(least, offset);
      most = std::max(most, offset);
    }
    split.in_range = outside == 0;
    if (!split.in_range) return;
    find_rounds(access, split);
    for (unsigned lane = 0; lane < protocol::kMaxLanes; ++lane)
      pattern.distance[lane] = access.address[lane] - access.address[0];
    pattern.begin = begin;
    pattern.least = first - least;
    pattern.most = most - first;
    pattern.banks = split.banks;
    pattern.degree = split.degree;
    return;
  }
  if (first >= size || first < pattern.least || size - first <= pattern.most) {
    split.in_range = false;
    return;
  }
  split.banks = pattern.banks;
  split.degree = pattern.degree;
  split.aligned = access.mask;
}

/// Rounds: in each, a word of each bank, with all lanes that are on it.
template <class WordBanks>
void BasicAlignFilter<WordBanks>::find_rounds(const protocol::WarpAccess& access, LaneSplit& split) const {
  const BankMap map = map_;  // in registers
  for (std::uint32_t left = access.mask; left != 0;) {
    std::array<std::uint32_t, kMostWordBanks<WordBanks>> word;  // by bank, of this round
    WordBanks banks = 0;
    std::uint32_t others = 0;
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      const std::uint32_t offset = access.address[lane] - base_;
      const unsigned index = map.index(offset) & (kMostWordBanks<WordBanks> - 1);
      const std::uint32_t number = map.word_number(offset);
      const WordBanks bank = WordBanks{1} << index;
      if ((banks & bank) == 0) word[index] = number;
      banks |= bank;
      others |= static_cast<std::uint32_t>(word[index] != number) << lane;
    }
    if (split.degree++ == 0) split.banks = banks;
    left = others;
  }
  split.aligned = access.mask;
}

template <class WordBanks>
void BasicAlignFilter<WordBanks>::split_lanes(const protocol::WarpAccess& access, LaneSplit& split) const {
  std::array<std::uint8_t, kMostWordBanks<WordBanks>> wanted{};
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t offset = access.address[lane] - base_;
    if (offset >= size_ || (offset & (access.bytes - 1u)) != 0) {
      split = {};
      split.in_range = false;
      return;
    }
    const unsigned index = map_.index(offset);
    split.degree = std::max(split.degree, ++wanted[index]);
    if (owns(lane, map_.word(offset))) {
      split.aligned |= 1u << lane;
      split.banks |= WordBanks{1} << index;
    } else {
      split.unaligned |= 1u << lane;
    }
  }
}

template class BasicAlignFilter<std::uint64_t>;
template class BasicAlignFilter<BankSet<4>>;
template class BasicAlignFilter<BankSet<32>>;

}  // namespace spica::shared_memory
