// SPDX-License-Identifier: Apache-2.0
#include "models/coalescer/request_sender.h"

#include <cstring>

#include "models/base/bits.h"
#include "models/base/checkpoint.h"
#include "models/base/hot_inline.h"
#include "models/coalescer/lane_data.h"

namespace spica::coalescer {

using protocol::LinePayload;
using protocol::WarpPayload;

RequestSender::RequestSender(const Params& params, Sockets& out, Stats& stats, const protocol::Probed& probed)
    : row_lanes_(static_cast<unsigned>(params.lanes)),
      line_shift_(static_cast<unsigned>(__builtin_ctzll(params.line_bytes))),
      lanes_(line_shift_, row_lanes_),
      accesses_(params),
      free_(params),
      sectors_(params),
      stats_(stats),
      probed_(probed) {
  for (protocol::InitiatorSocket& socket : out) ports_.push_back(&socket);
}

RequestSender::Sent RequestSender::send(base::Cycle now) {
  Access& access = accesses_[head_];
  WarpPayload& warp = *access.payload;
  unsigned activity = Stats::kSent;
  if (warp.info.atomic != protocol::Atomic::kNone) {
    activity = send_atomic(access, now);
    if (access.parts != 0) return {activity, nullptr};  // stays at the head until its last response
  } else if (const std::uint32_t group = lanes_.next(); group != 0) {
    activity = send_line(access, group, now);
  } else {
    activity = send_singles(access, now);
  }
  if (lanes_.left() != 0) return {activity, nullptr};
  const bool done = accesses_.close(head_);
  head_ = AccessTable::kNone;
  return {activity, done ? &warp : nullptr};
}

/// One of the requests of the head.
LinePayload& RequestSender::part(const Access& access, std::uint32_t lanes, std::uint64_t address,
                                 unsigned bytes, base::Cycle now) {
  LinePayload& part = request(*access.payload, accesses_.add_part(head_), lanes, address, bytes);
  if (probed_.probe() != nullptr)
    probed_.probe()->on_global_request(now, probed_.source(), part.info.origin,
                                       lanes_.left() == access.payload->access.mask);
  if (access.payload->info.timing_only) {
    part.info.timing_only = true;
    part.disable_bytes();
  }
  return part;
}

SPICA_HOT_INLINE unsigned RequestSender::send_line(Access& access, std::uint32_t group, base::Cycle now) {
  if (const unsigned why = obstacle(free_.line()); why != Stats::kSent) return why;
  const protocol::WarpAccess& warp = access.payload->access;
  const auto leader = static_cast<unsigned>(__builtin_ctz(group));
  LinePayload& request = part(access, group, block_of(warp.address[leader]), 1u << line_shift_, now);
  if (sectors_.on()) request.info.sectors = sectors_.of(warp, group, access.row);
  if (request.is_write() && !request.info.timing_only) give_lanes(warp, group, access.row, request);
  lanes_.sent(group);
  ++stats_.line_requests;
  stats_.coalesced_lanes += base::count_bits(group);
  send(free_.line(), request);
  return Stats::kSent;
}

unsigned RequestSender::send_atomic(Access& access, base::Cycle now) {
  if (access.parts != 0) return Stats::kAtomicOrder;
  if (lanes_.left() == 0) return Stats::kSent;
  const auto lane = static_cast<unsigned>(__builtin_ctz(lanes_.left()));
  if (const unsigned why = obstacle(lane); why != Stats::kSent) return why;
  const protocol::WarpAccess& warp = access.payload->access;
  LinePayload& request = part(access, std::uint32_t{1} << lane, warp.address[lane], 4, now);
  request.info.atomic = access.payload->info.atomic;
  std::memcpy(request.data.data(), &warp.data[lane], 4);
  lanes_.sent(std::uint32_t{1} << lane);
  ++stats_.single_requests;
  send(lane, request);
  return Stats::kSent;
}

unsigned RequestSender::send_singles(Access& access, base::Cycle now) {
  const protocol::WarpAccess& warp = access.payload->access;
  const std::uint32_t left = lanes_.left();
  if (left == 0) return Stats::kSent;
  const std::uint32_t open = free_.open(left);
  if (open == 0) return free_.any_without_id(left) ? Stats::kNoId : Stats::kCacheBusy;
  for (std::uint32_t rest = open; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t bit = std::uint32_t{1} << lane;
    LinePayload& request = part(access, bit, warp.address[lane], warp.bytes, now);
    if (request.is_write()) std::memcpy(request.data.data(), &warp.data[lane], warp.bytes);
    lanes_.sent(bit);
    send(lane, request);
  }
  stats_.single_requests += base::count_bits(open);
  return Stats::kSent;
}

void RequestSender::reset() {
  pool_.drop_all();
  accesses_.clear();
  free_.clear();
  lanes_.clear();
  head_ = AccessTable::kNone;
}

void RequestSender::add_to(base::Checkpoint& checkpoint) { pool_.add_to(checkpoint); }

void RequestSender::timing(base::Checkpoint& checkpoint) {
  using Change = std::uint64_t(std::uint64_t, const base::Objects&);
  const auto change_tags = [&](Change* change) {
    pool_.for_each([&](LinePayload& item) { item.info.tag = change(item.info.tag, checkpoint.objects()); });
  };
  if (!checkpoint.loads()) change_tags(AccessTable::numbered);
  checkpoint(pool_);
  change_tags(AccessTable::addressed);
  checkpoint(head_, accesses_, free_);
  lanes_.serialize(checkpoint, has_head() ? accesses_[head_].payload : nullptr);
}

}  // namespace spica::coalescer
