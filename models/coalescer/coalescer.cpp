// SPDX-License-Identifier: Apache-2.0
#include "models/coalescer/coalescer.h"

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"
#include "models/base/hot_inline.h"

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
      queue_(params.queue_depth * params.lanes),
      // While one access begins per cycle, and one is answered per cycle while any is due, the accesses that are begun
      // and not answered become more only while none is due: then all that are done were in flight when the oldest of
      // them was done, or began in the response_latency cycles since. Those that begin next to others wait for room.
      done_(2 * AccessTable::most(params) + params.response_latency + 1) {
  in.attach(*this);
  for (unsigned port = 0; port < out.size(); ++port) out[port].attach(*this, port);
}

bool Coalescer::on_request(unsigned, Payload& payload) {
  protocol::WarpAccess& access = static_cast<WarpPayload&>(payload).access;
  if (stacks_.on()) stacks_.mark(access);
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
    if (stacks_.on()) StackAccesses::end(static_cast<WarpPayload&>(payload));
    in.respond(payload);
  }
  if (can_begin()) {
    if (stacks_.on() && !stacks_.prepare(*queue_.front().payload, open_ == queue_.size()))
      return wake_at(cycle + 1);
    begin();
  }
  if (sender_.has_head()) charge(send_head());
  if (!queue_.empty() && queue_.front().concurrent && can_begin()) send_concurrent();
  // A blocked head is woken by on_response() or on_ready().
  if (blocked_ == 0 && (sender_.has_head() || !queue_.empty())) wake_at(cycle + 1);
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
  warp.access.fetched = 0;
  return warp;
}

/// Nearly always an access leaves as one request, without becoming the head.
SPICA_HOT_INLINE void Coalescer::begin() {  // of nearly every tick
  if (!sender_.can_send_whole(*queue_.front().payload)) return begin_head();
  WarpPayload& warp = next_access();
  ++(warp.is_write() ? stats_.stores : stats_.loads);
  stats_.activity.spend(Stats::kSent, 1);
  sender_.send_whole(warp, now());
}

inline void Coalescer::begin_head() {
  WarpPayload& warp = next_access();
  sender_.begin(warp);
  if (warp.info.atomic != protocol::Atomic::kNone) ++stats_.atomics;
  else if (warp.is_write()) ++stats_.stores;
  else ++stats_.loads;
}

/// Sends what this cycle allows of the head; returns what it did.
SPICA_HOT_INLINE unsigned Coalescer::send_head() {
  const RequestSender::Sent sent = sender_.send(now());
  if (sent.done != nullptr) finish(*sent.done);
  return sent.activity;
}

/// Of the entry that has begun: accesses whose lanes are all alone leave together with the first one's in this cycle.
[[gnu::noinline]] void Coalescer::send_concurrent() {
  if (stacks_.on()) return;
  while (can_begin() && queue_.front().concurrent) {
    if (!sender_.leaves_alone(*queue_.front().payload)) return;
    begin_head();
    const unsigned activity = send_head();
    blocked_ = activity == Stats::kSent ? 0 : activity;
    if (blocked_ != 0) stats_.activity.charge(blocked_, now() + 1);
  }
}

/// Notes what the head did in this cycle. Between its cycles the account is idle, but while the head is blocked.
inline void Coalescer::charge(unsigned activity) {
  blocked_ = activity == Stats::kSent ? 0 : activity;
  if (blocked_ == 0) stats_.activity.charge_cycle(Stats::kSent, Stats::kIdle, now());
  else stats_.activity.charge(activity, now());
}

/// All of the access is done.
inline void Coalescer::finish(WarpPayload& warp) {
  const Cycle due = now() + params_.response_latency;
  if (done_.empty()) wake_at(due);
  done_.push({&warp, due});
}

void Coalescer::on_response(unsigned port, Payload& payload) {
  WarpPayload* const done = sender_.answer(port, static_cast<LinePayload&>(payload));
  if (done != nullptr) finish(*done);
  if (blocked_ == Stats::kNoId || blocked_ == Stats::kAtomicOrder) wake_now();
}

void Coalescer::on_ready(unsigned port) {
  if (sender_.release(port) && blocked_ != 0) wake_now();
}

void Coalescer::reset() {
  sender_.reset();
  queue_.clear();
  entries_ = 0;
  accepted_ = base::kNever;
  done_.clear();
  in.reset();
  for (auto& socket : out) socket.reset();
  open_ = 0;
  blocked_ = 0;
  stats_.activity.charge(Stats::kIdle, now());
}

void Coalescer::dump_state(std::ostream& os) const {
  static constexpr const char* kWhy[] = {"sending", "sending", "waits for a free id", "cache holds a request",
                                         "waits for the atomic of the lane before"};
  if (open_ == 0) return;
  os << name() << ": " << open_ << " warp accesses open, " << queue_.size() << " queued, "
     << sender_.in_flight() << " requests in flight";
  if (sender_.has_head()) {
    const protocol::Origin& origin = sender_.head().info.origin;
    os << "; head of core " << origin.core << " warp " << unsigned{origin.warp} << " pc 0x" << std::hex
       << origin.pc << ", lanes left 0x" << sender_.lanes_left() << std::dec << ": " << kWhy[blocked_];
  }
  os << "\n";
}

void Coalescer::objects(base::Checkpoint& checkpoint) { sender_.add_to(checkpoint); }

bool Coalescer::timing(base::Checkpoint& checkpoint) {
  sender_.timing(checkpoint);
  checkpoint.each(out);
  checkpoint(in, queue_, entries_, accepted_, done_, open_, blocked_, stacks_, stats_);
  return true;
}

}  // namespace spica::coalescer
