// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/base/hot_inline.h"
#include "models/base/types.h"
#include "models/coalescer/access_table.h"
#include "models/coalescer/coalescer_params.h"
#include "models/coalescer/coalescer_stats.h"
#include "models/coalescer/lane_data.h"
#include "models/coalescer/lane_groups.h"
#include "models/coalescer/lane_sectors.h"
#include "models/coalescer/request_ports.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/transport/sockets.h"

namespace spica::coalescer {

/// Sends the requests of the access at the head to the cache, as lanes and ports allow, and handles their responses.
///
/// Head     the access that is not fully sent; at most one
/// Whole    an access of the whole warp to the words of one block is sent as one request and never becomes the head
class RequestSender {
 public:
  using Sockets = sc_core::sc_vector<protocol::InitiatorSocket>;

  /// `out`: one socket per lane, and one for lines. `probed` provides the observer of requests.
  RequestSender(const Params& params, Sockets& out, Stats& stats, const protocol::Probed& probed);

  // -- accesses
  bool can_send_whole(const protocol::WarpPayload& warp) const {
    return warp.info.atomic == protocol::Atomic::kNone && !warp.info.timing_only &&
           lanes_.is_line(warp.access) && free_.line_open();
  }
  void send_whole(protocol::WarpPayload& warp, base::Cycle now);
  /// Makes the access the head; requires that there is none.
  void begin(protocol::WarpPayload& warp) {
    lanes_.begin(warp.access);
    head_ = accesses_.begin(warp, lanes_.is_row());
  }
  /// Sends all its lanes through their own ports; requires that there is no head.
  bool leaves_alone(const protocol::WarpPayload& warp) {
    lanes_.begin(warp.access);
    const bool alone = warp.info.atomic == protocol::Atomic::kNone && lanes_.next() == 0;
    if (!alone) lanes_.clear();
    return alone;
  }
  bool has_head() const { return head_ != AccessTable::kNone; }
  const protocol::WarpPayload& head() const { return *accesses_[head_].payload; }
  std::uint32_t lanes_left() const { return lanes_.left(); }

  // -- cycles
  struct Sent {
    unsigned activity;  // Stats::kSent, or the obstacle of the head
    protocol::WarpPayload* done;  // the head, if it is complete; otherwise nullptr
  };
  /// Sends as much of the head as this cycle allows.
  Sent send(base::Cycle now);
  /// Handles a response. Returns the access that it completes, or nullptr.
  protocol::WarpPayload* answer(unsigned port, protocol::LinePayload& request);
  /// The cache accepts requests of this port again. True: the head may have waited for it.
  bool release(unsigned port) {
    free_.release(port);
    return lanes_.found() != 0 ? port == free_.line() : (std::uint64_t{lanes_.left()} >> port & 1) != 0;
  }
  protocol::InitiatorSocket& line_socket() { return *ports_[free_.line()]; }
  std::size_t in_flight() const { return pool_.in_use(); }

  void reset();
  /// In a checkpoint tags have numbers of objects in place of addresses.
  void timing(base::Checkpoint& checkpoint);
  void add_to(base::Checkpoint& checkpoint);

 private:
  using Access = AccessTable::Access;

  unsigned send_atomic(Access& access, base::Cycle now);
  unsigned send_line(Access& access, std::uint32_t group, base::Cycle now);
  unsigned send_singles(Access& access, base::Cycle now);
  protocol::LinePayload& part(const Access& access, std::uint32_t lanes, std::uint64_t address,
                              unsigned bytes, base::Cycle now);
  protocol::LinePayload& request(const protocol::WarpPayload& warp, std::uint64_t tag, std::uint32_t lanes,
                                 std::uint64_t address, unsigned bytes);
  void send(unsigned port, protocol::LinePayload& payload);
  std::uint64_t block_of(std::uint32_t address) const {
    return std::uint64_t{address} >> line_shift_ << line_shift_;
  }
  /// Whether a request may be sent through `port`: Stats::kSent, or the obstacle.
  unsigned obstacle(unsigned port) const {
    if (free_.without_id(port)) return Stats::kNoId;
    return free_.held(port) ? Stats::kCacheBusy : Stats::kSent;
  }

  const unsigned row_lanes_, line_shift_;
  unsigned head_ = AccessTable::kNone;
  LaneGroups lanes_;  // of the head
  AccessTable accesses_;  // started, with requests in flight or to be sent
  RequestPorts free_;
  std::vector<protocol::InitiatorSocket*> ports_;
  protocol::LinePool pool_;
  const LaneSectors sectors_;
  Stats& stats_;
  const protocol::Probed& probed_;
};

// Inlined because it runs for every access: a call would cost more than the body.

SPICA_HOT_INLINE protocol::LinePayload& RequestSender::request(const protocol::WarpPayload& warp,
                                                               std::uint64_t tag, std::uint32_t lanes,
                                                               std::uint64_t address, unsigned bytes) {
  protocol::LinePayload& request = pool_.take();
  request.setup(warp.get_command(), address, bytes, warp.info.origin);
  request.info.origin.lanes = lanes;
  request.info.tag = tag;
  return request;
}

SPICA_HOT_INLINE void RequestSender::send(unsigned port, protocol::LinePayload& payload) {
  free_.take(port);
  ports_[port]->send(payload);
  if (!ports_[port]->ready()) free_.hold(port);
}

/// The tag of its request identifies the access; it needs no entry.
SPICA_HOT_INLINE void RequestSender::send_whole(protocol::WarpPayload& warp, base::Cycle now) {
  const std::uint32_t mask = warp.access.mask;
  protocol::LinePayload& line =
      request(warp, AccessTable::whole(warp), mask, block_of(warp.access.address[0]), 1u << line_shift_);
  if (sectors_.on()) line.info.sectors = sectors_.of(warp.access, mask, true);
  if (probed_.probe() != nullptr)
    probed_.probe()->on_global_request(now, probed_.source(), line.info.origin, true);
  if (warp.is_write()) give_lanes(warp.access, mask, true, line);
  ++stats_.line_requests;
  stats_.coalesced_lanes += row_lanes_;
  send(free_.line(), line);
}

SPICA_HOT_INLINE protocol::WarpPayload* RequestSender::answer(unsigned port, protocol::LinePayload& request) {
  const AccessTable::Answered answered = accesses_.answer(request.info.tag);
  protocol::WarpPayload& warp = *answered.payload;
  if (request.is_response_error()) {
    warp.set_response_status(request.get_response_status());
  } else if ((request.is_read() || request.info.atomic != protocol::Atomic::kNone) &&
             !request.info.timing_only) {
    if (answered.whole) take_row(request, row_lanes_, warp.access);
    else take_lanes(request, answered.row, warp.access);
  }
  warp.access.fetched = static_cast<std::uint16_t>(warp.access.fetched + request.info.fetched);
  pool_.drop(request);
  free_.give_back(port);
  return answered.done ? &warp : nullptr;
}

}  // namespace spica::coalescer
