// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/coalescer/coalescer_params.h"
#include "models/protocol/payload/warp_access.h"

namespace spica::coalescer {

/// The sectors of their cache line that the lanes of a request access (RequestInfo::sectors).
class LaneSectors {
 public:
  explicit LaneSectors(const Params& params)
      : mask_(static_cast<std::uint32_t>(params.sectors - 1)),
        shift_(params.sectors == 1 ? 0 : static_cast<unsigned>(__builtin_ctzll(params.sector_bytes))) {}

  /// False: the cache has no sectors.
  bool on() const { return mask_ != 0; }
  /// Sectors of `lanes`, which are in one line. `row`: adjacent lanes access consecutive words.
  std::uint8_t of(const protocol::WarpAccess& access, std::uint32_t lanes, bool row) const {
    std::uint32_t found = 0;
    if (row) {
      const std::uint32_t first = place(access.address[static_cast<unsigned>(__builtin_ctz(lanes))]);
      const std::uint32_t last = place(access.address[31 - static_cast<unsigned>(__builtin_clz(lanes))]);
      return static_cast<std::uint8_t>((2u << last) - (1u << first));
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      found |= 1u << place(access.address[static_cast<unsigned>(__builtin_ctz(rest))]);
    return static_cast<std::uint8_t>(found);
  }

 private:
  std::uint32_t place(std::uint32_t address) const { return address >> shift_ & mask_; }

  const std::uint32_t mask_;
  const unsigned shift_;
};

}  // namespace spica::coalescer
