// SPDX-License-Identifier: Apache-2.0
// The requests of an access that is more than one line.
#include <cstring>

#include "models/base/count_bits.h"
#include "models/coalescer/coalescer.h"

namespace spica::coalescer {

using protocol::LinePayload;

/// One of the requests of the head.
LinePayload& Coalescer::part(const Access& access, std::uint32_t lanes, std::uint64_t address,
                             unsigned bytes) {
  LinePayload& part = request(*access.payload, accesses_.add_part(head_), lanes, address, bytes);
  if (probe_ != nullptr)
    probe_->on_global_request(now(), source_, part.info.origin, lanes_.left() == access.payload->access.mask);
  if (access.payload->info.timing_only) {
    part.info.timing_only = true;
    part.disable_bytes();
  }
  return part;
}

unsigned Coalescer::send_atomic(Access& access) {
  if (access.parts != 0) return Stats::kAtomicOrder;
  if (lanes_.left() == 0) return Stats::kSent;
  const auto lane = static_cast<unsigned>(__builtin_ctz(lanes_.left()));
  if (const unsigned why = obstacle(lane); why != Stats::kSent) return why;
  const protocol::WarpAccess& warp = access.payload->access;
  LinePayload& request = part(access, std::uint32_t{1} << lane, warp.address[lane], 4);
  request.info.atomic = access.payload->info.atomic;
  std::memcpy(request.data.data(), &warp.data[lane], 4);
  lanes_.sent(std::uint32_t{1} << lane);
  ++stats_.single_requests;
  send(lane, request);
  return Stats::kSent;
}

unsigned Coalescer::send_singles(Access& access) {
  const protocol::WarpAccess& warp = access.payload->access;
  const std::uint32_t left = lanes_.left();
  if (left == 0) return Stats::kSent;
  const std::uint32_t open = free_.open(left);
  if (open == 0) return free_.any_without_id(left) ? Stats::kNoId : Stats::kCacheBusy;
  for (std::uint32_t rest = open; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t bit = std::uint32_t{1} << lane;
    LinePayload& request = part(access, bit, warp.address[lane], warp.bytes);
    if (request.is_write()) std::memcpy(request.data.data(), &warp.data[lane], warp.bytes);
    lanes_.sent(bit);
    send(lane, request);
  }
  stats_.single_requests += base::count_bits(open);
  return Stats::kSent;
}

}  // namespace spica::coalescer
