// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/payload/warp_access.h"

namespace spica::coalescer {

/// Groups the lanes of a warp access (virgo memory/Coalescing.scala): the lowest lane that shares its block of
/// 2^block_shift bytes with another lane leads, and all lanes in that block follow. Lanes that are alone in their block
/// come last.
class LaneGroups {
 public:
  LaneGroups(unsigned block_shift, unsigned lanes)
      : block_shift_(block_shift), lanes_(lanes), whole_warp_(~std::uint32_t{0} >> (32 - lanes)) {}

  /// True if the whole warp accesses consecutive words of one block: one group, without begin().
  bool is_line(const protocol::WarpAccess& access) const {
    const std::uint32_t block_bytes = std::uint32_t{1} << block_shift_;
    return (access.address[0] & (block_bytes - 1)) + 4 * lanes_ <= block_bytes && is_row(access);
  }
  /// Starts an access, which must stay valid until its last lane has been sent.
  void begin(const protocol::WarpAccess& access) {
    access_ = &access;
    left_ = access.mask;
    group_ = 0;
    alone_ = false;
    row_ = is_row(access);
  }
  /// Lanes not sent yet.
  std::uint32_t left() const { return left_; }
  /// True if the whole warp accesses consecutive words, so that the lanes of a group are adjacent.
  bool is_row() const { return row_; }
  /// The next group; 0 if each remaining lane is alone in its block.
  std::uint32_t next() {
    if (group_ == 0 && !alone_) {
      group_ = row_ ? next_of_row() : search();
      alone_ = group_ == 0;
    }
    return group_;
  }
  /// The group of next() while it has not been sent; 0 otherwise.
  std::uint32_t found() const { return group_; }
  void sent(std::uint32_t lanes) {
    left_ &= ~lanes;
    group_ = 0;
  }
  void clear() { left_ = group_ = 0; }

  /// `head`: the current access, if any.
  template <class Archive>
  void serialize(Archive& archive, protocol::WarpPayload* head) {
    archive(left_, group_, alone_, row_);
    access_ = head != nullptr ? &head->access : nullptr;
  }

 private:
  bool is_row(const protocol::WarpAccess& access) const {
    return access.mask == whole_warp_ && access.bytes == 4 && access.consecutive(lanes_);
  }
  /// The next group of a row, without examining each lane: all that fits into the block of the first one.
  std::uint32_t next_of_row() const {
    if (left_ == 0) return 0;
    const auto leader = static_cast<unsigned>(__builtin_ctz(left_));
    const std::uint32_t block_bytes = std::uint32_t{1} << block_shift_;
    const unsigned fit = (block_bytes - (access_->address[leader] & (block_bytes - 1))) / 4;
    const unsigned count = std::min(fit, lanes_ - leader);
    if (count == 1) return search();
    return ~std::uint32_t{0} >> (32 - count) << leader;
  }
  std::uint32_t search() const {
    for (std::uint32_t left = left_; left != 0; left &= left - 1) {  // alone: neither leader nor follower
      const auto leader = static_cast<unsigned>(__builtin_ctz(left));
      const std::uint32_t group = in_block(left, access_->address[leader] >> block_shift_);
      if ((group & (group - 1)) != 0) return group;
    }
    return 0;
  }
  /// Those of `lanes` that access `block`. Branch-free, eight at a time, for the host's vector unit.
  std::uint32_t in_block(std::uint32_t lanes, std::uint32_t block) const {
    static constexpr std::uint32_t kBits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    std::uint32_t found = 0;
    for (unsigned first = 0; first < protocol::kMaxLanes && lanes >> first != 0; first += 8) {
      std::uint32_t eight = 0;
      for (unsigned i = 0; i < 8; ++i)
        eight |= access_->address[first + i] >> block_shift_ == block ? kBits[i] : 0;
      found |= eight << first;
    }
    return found & lanes;
  }

  const unsigned block_shift_, lanes_;
  const std::uint32_t whole_warp_;
  const protocol::WarpAccess* access_ = nullptr;
  std::uint32_t left_ = 0;
  std::uint32_t group_ = 0;  // the result of next()
  bool alone_ = false;  // no more groups
  bool row_ = false;
};

}  // namespace spica::coalescer
