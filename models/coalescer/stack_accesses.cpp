// SPDX-License-Identifier: Apache-2.0
#include "models/coalescer/stack_accesses.h"

namespace spica::coalescer {

using protocol::WarpAccess;
using protocol::WarpPayload;

bool StackAccesses::prepare(WarpPayload& warp, bool first) {
  const WarpAccess& access = warp.access;
  if (access.local == WarpAccess::Local::kNone || warp.info.atomic != protocol::Atomic::kNone ||
      warp.info.timing_only)
    return true;
  // The memory of the other lanes is that of the caches: accesses in flight to it come first.
  if (access.local == WarpAccess::Local::kSome && !first) return false;
  perform(warp);
  return true;
}

/// Performs the complete access; the request that continues only models timing.
void StackAccesses::perform(WarpPayload& warp) {
  WarpAccess& access = warp.access;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t address = access.address[lane];
    auto* const data = reinterpret_cast<unsigned char*>(&access.data[lane]);
    bool moved = true;
    if (warp.is_write()) {
      moved = memory_.write(address, data, access.bytes);
      if (reservations_->size() != 0) reservations_->store(address, access.bytes);
      reservations_->stored(warp.info.origin, address, access.bytes);
    } else {
      access.data[lane] = 0;
      moved = memory_.read(address, data, access.bytes);
    }
    if (!moved) return;  // no memory there: the cache reports it
  }
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    std::uint32_t& address = access.address[static_cast<unsigned>(__builtin_ctz(rest))];
    if (map_.contains(address)) address = map_.place(address);
  }
  access.row = false;
  warp.info.timing_only = true;
}

}  // namespace spica::coalescer
