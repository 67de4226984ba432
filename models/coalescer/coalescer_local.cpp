// SPDX-License-Identifier: Apache-2.0
// Accesses to stacks that the caches interleave.
#include <cstring>

#include "models/coalescer/coalescer.h"

namespace spica::coalescer {

using protocol::WarpAccess;
using protocol::WarpPayload;

/// The access in front of the queue is about to be sent. False: it waits.
bool Coalescer::prepare_local() {
  WarpPayload& warp = *queue_.front().payload;
  WarpAccess& access = warp.access;
  if (access.local == WarpAccess::Local::kNone || warp.info.atomic != protocol::Atomic::kNone ||
      warp.info.timing_only)
    return true;
  // The other lanes' memory is that of the caches: what is on its way there comes first.
  if (access.local == WarpAccess::Local::kSome && open_ != queue_.size()) return false;
  perform_local(warp);
  return true;
}

/// All of it takes effect; what continues is for timing only.
void Coalescer::perform_local(WarpPayload& warp) {
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
    if (local_.contains(address)) address = local_.place(address);
  }
  access.row = false;
  warp.info.timing_only = true;
}

}  // namespace spica::coalescer
