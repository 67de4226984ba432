// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/align_filter.h"

#include <algorithm>

namespace spica::shared_memory {

AlignFilter::AlignFilter(const SharedMemoryParams& params, const BankMap& map)
    : map_(map),
      base_(static_cast<std::uint32_t>(params.base)),
      size_(static_cast<std::uint32_t>(params.size)),
      lanes_(static_cast<unsigned>(params.lanes)),
      whole_warp_(params.lanes >= 32 ? ~0u : (1u << params.lanes) - 1),
      whole_warp_fits_line_(params.word_bytes == 4 && params.lanes <= params.words),
      broadcast_(params.broadcast) {
  const auto period = static_cast<unsigned>(std::min(params.lanes, params.words));
  for (unsigned word = 0; word < params.words; ++word)
    for (unsigned lane = 0; lane < lanes_; ++lane)
      if (params.broadcast || word % period == lane % period) owners_[word] |= 1u << lane;
}

void AlignFilter::split(const protocol::WarpAccess& access, bool shares, LaneSplit& split) const {
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

/// Rounds: in each, a word of each bank, with all lanes that are on it.
void AlignFilter::split_words(const protocol::WarpAccess& access, LaneSplit& split) const {
  std::array<std::uint32_t, 64> word;  // by bank, of this round
  std::uint32_t outside = 0;
  for (std::uint32_t left = access.mask; left != 0;) {
    WordBanks banks = 0;
    std::uint32_t others = 0;
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      const std::uint32_t offset = access.address[lane] - base_;
      outside |= static_cast<std::uint32_t>(offset >= size_) | (offset & (access.bytes - 1u));
      const unsigned index = map_.index(offset) & 63;
      const std::uint32_t number = map_.word_number(offset);
      const WordBanks bank = WordBanks{1} << index;
      if ((banks & bank) == 0) word[index] = number;
      banks |= bank;
      others |= static_cast<std::uint32_t>(word[index] != number) << lane;
    }
    if (outside != 0) {
      split.in_range = false;
      return;
    }
    if (split.degree++ == 0) split.banks = banks;
    left = others;
  }
  split.aligned = access.mask;
}

void AlignFilter::split_lanes(const protocol::WarpAccess& access, LaneSplit& split) const {
  std::array<std::uint8_t, 64> wanted{};
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

}  // namespace spica::shared_memory
