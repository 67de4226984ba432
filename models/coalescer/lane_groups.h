// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/warp_access.h"

namespace spica::coalescer {

/// Those of `lanes` that access `block`. Eight at a time without a branch, for the host's vector unit.
inline std::uint32_t lanes_in_block(const protocol::WarpAccess& access, std::uint32_t lanes,
                                    std::uint32_t block, unsigned block_shift) {
  static constexpr std::uint32_t kBits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  std::uint32_t found = 0;
  for (unsigned first = 0; first < protocol::kMaxLanes && lanes >> first != 0; first += 8) {
    std::uint32_t eight = 0;
    for (unsigned i = 0; i < 8; ++i)
      eight |= access.address[first + i] >> block_shift == block ? kBits[i] : 0;
    found |= eight << first;
  }
  return found & lanes;
}

/// Lanes of `left` that go together next: the lowest lane that has at least one other lane in its
/// block of 2^block_shift bytes leads, and all lanes in that block follow. 0 when every lane is
/// alone in its block. (virgo memory/Coalescing.scala)
inline std::uint32_t next_group(const protocol::WarpAccess& access, std::uint32_t left,
                                unsigned block_shift) {
  while (left != 0) {
    const unsigned leader = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t block = access.address[leader] >> block_shift;
    const std::uint32_t group = lanes_in_block(access, left, block, block_shift);
    if ((group & (group - 1)) != 0) return group;
    left &= left - 1;  // alone: neither leader nor follower
  }
  return 0;
}

}  // namespace spica::coalescer
