// SPDX-License-Identifier: Apache-2.0
// One cycle of the unaligned path.
#include "models/base/hot_inline.h"
#include "models/shared_memory/shared_memory.h"

namespace spica::shared_memory {

template <class WordBanks>
SPICA_HOT_INLINE std::uint32_t BasicSharedMemory<WordBanks>::serve_unaligned_lanes(Request& request,
                                                                                   std::uint32_t lanes) {
  const bool one = (lanes & (lanes - 1)) == 0 && request.atomic == protocol::Atomic::kNone;
  const std::uint32_t served =
      one ? banks_.serve_lane(request, lanes) : banks_.serve_lanes(request, lanes, ~WordBanks{0}).lanes;
  request.unaligned &= ~served;
  request.served |= served;
  return served;
}

template <class WordBanks>
SPICA_HOT_INLINE std::uint32_t BasicSharedMemory<WordBanks>::serve_offered(unsigned source,
                                                                           std::uint32_t lanes) {
  Request& request = ports_.head(source);
  const std::uint32_t served = serve_unaligned_lanes(request, lanes);
  if (request.unaligned == 0) ports_.unaligned_heads &= ~bit(source);
  if (request.done()) {
    cycle_.done |= bit(source);
    cycle_.changed &= ~bit(source);
  } else if (request.apart && request.served != 0) {
    cycle_.changed |= bit(source);
  }
  return served;
}

/// serve_offered() for a port of lanes_.apart.
template <class WordBanks>
SPICA_HOT_INLINE std::uint32_t BasicSharedMemory<WordBanks>::serve_offered_open(unsigned source,
                                                                                Direction direction,
                                                                                std::uint32_t offered) {
  auto& queue = ports_[source].queue;
  OpenLanes& open = lanes_.open[source - ports_.first_core];
  std::uint32_t all = 0;
  for (std::size_t i = 0; offered != 0 && i <= open.behind; ++i) {
    Request& request = queue[i];
    const std::uint32_t lanes = offered & request.unaligned & request.open;
    if (lanes == 0 || request.direction != direction) continue;
    const std::uint32_t served = serve_unaligned_lanes(request, lanes);
    if (served != 0) open.note_served(i);
    all |= served;
    offered &= ~lanes;
    if (i == 0 && request.unaligned == 0) ports_.unaligned_heads &= ~bit(source);
  }
  if (all == 0) return 0;
  cycle_.changed |= bit(source);
  open.unaligned[direction] &= ~all;
  if (open.unaligned[direction] == 0) lanes_.open_unaligned[direction] &= ~bit(source);
  return all;
}

/// The path offers lanes of a core to their banks. Returns which are served.
template <class WordBanks>
SPICA_HOT_INLINE std::uint32_t BasicSharedMemory<WordBanks>::offer(UnalignedPath& path, unsigned core,
                                                                   Direction direction) {
  const unsigned source = ports_.first_core + core;
  const std::uint32_t offered = path.pick_lanes(core, unaligned_lanes(source, direction));
  const std::uint32_t served = (lanes_.apart & bit(source)) != 0
                                   ? serve_offered_open(source, direction, offered)
                                   : serve_offered(source, offered);
  stats_.unaligned_requests += static_cast<unsigned>(__builtin_popcount(served));
  cycle_.conflict |= served != offered;
  return served;
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::serve_unaligned(Direction direction, Sources cores) {
  UnalignedPath& path = unaligned_[params_.unaligned_joins_directions ? kRead : direction];
  const unsigned first = path.pick_core(cores, [this, direction](unsigned core) {
    return unaligned_lanes(ports_.first_core + core, direction);
  });
  const std::uint32_t served = offer(path, first, direction);
  if (served != 0) path.served(first, 31 - static_cast<unsigned>(__builtin_clz(served)));
  if (path.serialised()) return;
  // The crossbar continues with the cores after it, then from the beginning.
  const Sources before = bit(first) - 1;
  for (Sources rest = cores & ~before & ~bit(first); rest != 0;) offer(path, pop_lowest(rest), direction);
  for (Sources rest = cores & before; rest != 0;) offer(path, pop_lowest(rest), direction);
}

template class BasicSharedMemory<std::uint64_t>;
template class BasicSharedMemory<BankSet<4>>;
template class BasicSharedMemory<BankSet<32>>;

}  // namespace spica::shared_memory
