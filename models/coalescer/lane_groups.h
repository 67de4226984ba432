// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/warp_access.h"

namespace spica::coalescer {

/// Lanes of `left` that go together next: the lowest lane that has at least one other lane in its
/// block of 2^block_shift bytes leads, and all lanes in that block follow. 0 when every lane is
/// alone in its block. (facts 7.3)
inline std::uint32_t next_group(const protocol::WarpAccess& access, std::uint32_t left,
                                unsigned block_shift) {
  while (left != 0) {
    const unsigned leader = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t block = access.address[leader] >> block_shift;
    std::uint32_t group = 0;
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
      if (access.address[lane] >> block_shift == block) group |= std::uint32_t{1} << lane;
    }
    if ((group & (group - 1)) != 0) return group;
    left &= left - 1;  // alone: cannot lead, and nobody's follower
  }
  return 0;
}

}  // namespace spica::coalescer
