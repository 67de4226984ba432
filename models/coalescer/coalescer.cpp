// SPDX-License-Identifier: Apache-2.0
#include "models/coalescer/coalescer.h"

#include <algorithm>
#include <cstring>

#include "models/base/count_bits.h"
#include "models/base/hot_inline.h"
#include "models/coalescer/lane_data.h"

namespace spica::coalescer {

using base::Cycle;
using protocol::LinePayload;
using protocol::Payload;
using protocol::WarpPayload;

Coalescer::Coalescer(const sc_core::sc_module_name& name, const Params& params,
                     const base::ClockDomain& clock)
    : Component(name, clock),
      out("out", params.lanes + 1),
      params_(params),
      line_shift_(static_cast<unsigned>(__builtin_ctzll(params.line_bytes))),
      queue_(params.queue_depth * params.lanes),
      // While one access begins per cycle, and one is answered per cycle while any is due, the accesses that are begun and
      // not answered become more only while none is due: then all that are done were in flight when the oldest of them
      // was done, or began in the response_latency cycles since. Those that begin next to others wait for room.
      done_(2 * AccessTable::most(params) + params.response_latency + 1),
      lanes_(line_shift_, static_cast<unsigned>(params.lanes)),
      accesses_(params),
      free_(params) {
  in.attach(*this);
  for (unsigned port = 0; port < out.size(); ++port) {
    out[port].attach(*this, port);
    ports_.push_back(&out[port]);
  }
}

bool Coalescer::on_request(unsigned, Payload& payload) {
  protocol::WarpAccess& access = static_cast<WarpPayload&>(payload).access;
  if (local_.on()) access.local = local_.lanes_inside(access);
  const bool concurrent = access.wires != nullptr && accepted_ == now() && !queue_.empty();
  if (!concurrent && entries_ == params_.queue_depth) return false;
  accept(payload, concurrent);
  if (access.wires != nullptr) accepted_ = now();
  wake_next();
  return true;
}

inline void Coalescer::accept(Payload& payload, bool concurrent) {
  queue_.push({static_cast<WarpPayload*>(&payload), concurrent});
  entries_ += concurrent ? 0 : 1;
  ++open_;
}

void Coalescer::tick() {
  const Cycle cycle = now();
  if (!done_.empty() && done_.front().due <= cycle) {
    --open_;
    Payload& payload = *done_.pop().payload;
    if (local_.on()) end_local(static_cast<WarpPayload&>(payload));
    in.respond(payload);
  }
  if (can_begin()) {
    if (local_.on() && !prepare_local()) return wake_at(cycle + 1);
    if (!send_whole()) begin();
  }
  if (head_ != AccessTable::kNone) charge(send_head());
  if (!queue_.empty() && queue_.front().concurrent && can_begin()) send_concurrent();
  // A blocked head is woken by on_response() or on_ready().
  if (blocked_ == 0 && (head_ != AccessTable::kNone || !queue_.empty())) wake_at(cycle + 1);
  else if (!done_.empty()) wake_at(std::max(done_.front().due, cycle + 1));
}

/// Takes an access out of the queue.
inline WarpPayload& Coalescer::next_access() {
  WarpPayload& warp = *queue_.pop().payload;
  if (queue_.empty() || !queue_.front().concurrent) --entries_;
  if (Payload* held = in.held(); held != nullptr && entries_ < params_.queue_depth) {
    accept(*held, false);
    in.take_held();
  }
  warp.set_response_status(tlm::TLM_OK_RESPONSE);
  return warp;
}

/// The usual access in one go: the whole warp on the words of one block, and nothing in its way. Its request knows the
/// access; no table does. False: the access takes the long way.
SPICA_HOT_INLINE bool Coalescer::send_whole() {  // of nearly every tick
  const WarpPayload& front = *queue_.front().payload;
  if (front.info.atomic != protocol::Atomic::kNone || front.info.timing_only ||
      !lanes_.is_line(front.access) || !free_.line_open())
    return false;
  WarpPayload& warp = next_access();
  const std::uint32_t mask = warp.access.mask;
  LinePayload& line =
      request(warp, AccessTable::whole(warp), mask, block_of(warp.access.address[0]), 1u << line_shift_);
  if (sectors_.on()) line.info.sectors = sectors_.of(warp.access, mask, true);
  if (probe_ != nullptr) probe_->on_global_request(now(), source_, line.info.origin, true);
  if (warp.is_write()) {
    ++stats_.stores;
    give_lanes(warp.access, mask, true, line);
  } else {
    ++stats_.loads;
  }
  ++stats_.line_requests;
  stats_.coalesced_lanes += params_.lanes;
  stats_.activity.spend(Stats::kSent, 1);
  send(free_.line(), line);
  return true;
}

SPICA_HOT_INLINE void Coalescer::begin() {
  WarpPayload& warp = next_access();
  lanes_.begin(warp.access);
  head_ = accesses_.begin(warp, lanes_.is_row());
  if (warp.info.atomic != protocol::Atomic::kNone) ++stats_.atomics;
  else if (warp.is_write()) ++stats_.stores;
  else ++stats_.loads;
}

/// Of the entry that has begun: accesses whose lanes are all alone leave together with the first one's in this cycle.
[[gnu::noinline]] void Coalescer::send_concurrent() {
  if (local_.on()) return;
  while (can_begin() && queue_.front().concurrent) {
    const WarpPayload& front = *queue_.front().payload;
    lanes_.begin(front.access);
    if (front.info.atomic != protocol::Atomic::kNone || lanes_.next() != 0) return lanes_.clear();
    begin();
    const unsigned activity = send_head();
    blocked_ = activity == Stats::kSent ? 0 : activity;
    if (blocked_ != 0) stats_.activity.charge(blocked_, now() + 1);
  }
}

/// Sends what this cycle allows of the access at the head.
SPICA_HOT_INLINE unsigned Coalescer::send_head() {
  Access& access = accesses_[head_];
  unsigned activity = Stats::kSent;
  if (access.payload->info.atomic != protocol::Atomic::kNone) {
    activity = send_atomic(access);
    if (access.parts != 0) return activity;  // stays at the head until its last response
  } else if (const std::uint32_t group = lanes_.next(); group != 0) {
    activity = send_line(access, group);
  } else {
    activity = send_singles(access);
  }
  if (lanes_.left() == 0) {
    if (accesses_.close(head_)) finish(*access.payload);
    head_ = AccessTable::kNone;
  }
  return activity;
}

SPICA_HOT_INLINE unsigned Coalescer::send_line(Access& access, std::uint32_t group) {
  if (const unsigned why = obstacle(free_.line()); why != Stats::kSent) return why;
  const protocol::WarpAccess& warp = access.payload->access;
  const auto leader = static_cast<unsigned>(__builtin_ctz(group));
  LinePayload& request = part(access, group, block_of(warp.address[leader]), 1u << line_shift_);
  if (sectors_.on()) request.info.sectors = sectors_.of(warp, group, access.row);
  if (request.is_write() && !request.info.timing_only) give_lanes(warp, group, access.row, request);
  lanes_.sent(group);
  ++stats_.line_requests;
  stats_.coalesced_lanes += base::count_bits(group);
  send(free_.line(), request);
  return Stats::kSent;
}

void Coalescer::on_response(unsigned port, Payload& payload) {
  auto& request = static_cast<LinePayload&>(payload);
  const AccessTable::Answered answered = accesses_.answer(request.info.tag);
  WarpPayload& warp = *answered.payload;
  if (request.is_response_error()) {
    warp.set_response_status(request.get_response_status());
  } else if ((request.is_read() || request.info.atomic != protocol::Atomic::kNone) &&
             !request.info.timing_only) {
    if (answered.whole) take_row(request, static_cast<unsigned>(params_.lanes), warp.access);
    else take_lanes(request, answered.row, warp.access);
  }
  pool_.drop(request);
  free_.give_back(port);
  if (answered.done) finish(warp);
  if (blocked_ == Stats::kNoId || blocked_ == Stats::kAtomicOrder) wake_now();
}

void Coalescer::on_ready(unsigned port) {
  free_.release(port);
  // A head that waits for another port has nothing to look at.
  const bool wanted =
      lanes_.found() != 0 ? port == free_.line() : (std::uint64_t{lanes_.left()} >> port & 1) != 0;
  if (blocked_ != 0 && wanted) wake_now();
}

}  // namespace spica::coalescer
