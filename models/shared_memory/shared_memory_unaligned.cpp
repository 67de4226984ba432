// SPDX-License-Identifier: Apache-2.0
// One cycle of the unaligned path.
#include "models/shared_memory/shared_memory.h"

namespace spica::shared_memory {

void SharedMemory::serve_unaligned(Direction direction, Sources cores) {
  UnalignedPath& path = unaligned_[params_.unaligned_joins_directions ? kRead : direction];
  const auto lanes_of = [this, direction](unsigned core) {
    return unaligned_lanes(first_core_ + core, direction);
  };
  const unsigned first = path.pick_core(cores, lanes_of);
  unsigned core = first;
  std::uint32_t first_served = 0;
  do {
    const std::uint32_t offered = path.pick_lanes(core, lanes_of(core));
    const std::uint32_t served = serve_offered(first_core_ + core, direction, offered);
    stats_.unaligned_requests += static_cast<unsigned>(__builtin_popcount(served));
    conflict_ |= served != offered;
    if (core == first) first_served = served;
    cores &= ~bit(core);
    // The crossbar continues with the cores after it, then from the beginning.
    const Sources ahead = core == 63 ? 0 : cores & (~Sources{0} << (core + 1));
    if (cores != 0) core = static_cast<unsigned>(__builtin_ctzll(ahead != 0 ? ahead : cores));
  } while (cores != 0 && !path.serialised());
  if (first_served != 0) path.served(first, 31 - static_cast<unsigned>(__builtin_clz(first_served)));
}

/// Serves those unaligned lanes of a core that its path offers to their banks. Returns which it served.
std::uint32_t SharedMemory::serve_offered(unsigned source, Direction direction, std::uint32_t lanes) {
  if ((apart_ & bit(source)) != 0) return serve_offered_open(source, direction, lanes);
  Request& request = head(source);
  const std::uint32_t served = serve_lanes(request, lanes, ~WordBanks{0}).lanes;
  request.unaligned &= ~served;
  request.served |= served;
  if (request.unaligned == 0) unaligned_heads_ &= ~bit(source);
  if (request.done()) {
    done_ |= bit(source);
    changed_ &= ~bit(source);
  } else if (request.apart && request.served != 0) {
    changed_ |= bit(source);
  }
  return served;
}

}  // namespace spica::shared_memory
