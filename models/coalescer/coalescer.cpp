// SPDX-License-Identifier: Apache-2.0
#include "models/coalescer/coalescer.h"

#include <algorithm>
#include <cstring>
#include <ostream>

#include "models/coalescer/lane_groups.h"

namespace spica::coalescer {

using protocol::LinePayload;
using protocol::Payload;
using protocol::WarpPayload;

Coalescer::Coalescer(const sc_core::sc_module_name& name, const Params& params,
                     const base::ClockDomain& clock)
    : Component(name, clock),
      out("out", params.lanes + 1),
      params_(params),
      line_shift_(static_cast<unsigned>(__builtin_ctzll(params.line_bytes))),
      line_port_(static_cast<unsigned>(params.lanes)),
      queue_(params.queue_depth),
      parts_(params.line_ids + params.lanes * params.lane_ids),
      // Each part in flight belongs to one access, and the head may have none yet.
      accesses_(parts_.size() + 1),
      // One access begins per cycle, and one is answered per cycle while any is due. So the accesses that are begun and
      // not answered become more only while none is due: then all that are done were in flight when the oldest of them
      // was done, or began in the response_latency cycles since.
      done_(2 * accesses_.size() + params.response_latency + 1) {
  in.attach(*this);
  for (unsigned port = 0; port < out.size(); ++port) {
    out[port].attach(*this, port);
    ports_.push_back(&out[port]);
  }
  free_accesses_.reserve(accesses_.size());
  free_parts_.reserve(parts_.size());
  reset();
}

bool Coalescer::on_request(unsigned, Payload& payload) {
  if (queue_.full()) return false;
  auto& warp = static_cast<WarpPayload&>(payload);
  queue_.push(&warp);
  ++open_;
  wake_next();
  return true;
}

void Coalescer::tick() {
  if (!done_.empty() && done_.front().due <= now()) {
    --open_;
    in.respond(*done_.pop().payload);
  }
  if (head_ == kNone) start_next();
  blocked_ = 0;
  if (head_ != kNone) {
    const unsigned activity = send_head();
    if (activity != Stats::kSent) blocked_ = activity;
    stats_.activity.charge(activity, now());
    if (head_ == kNone && queue_.empty()) stats_.activity.charge(Stats::kIdle, now() + 1);
  }
  // A blocked head is woken by on_response() or on_ready().
  if (blocked_ == 0 && (head_ != kNone || !queue_.empty())) wake_next();
  if (!done_.empty()) wake_at(std::max(done_.front().due, now() + 1));
}

void Coalescer::start_next() {
  if (queue_.empty()) return;
  WarpPayload& warp = *queue_.pop();
  if (Payload* held = in.held(); held != nullptr) {
    queue_.push(static_cast<WarpPayload*>(held));
    ++open_;
    in.take_held();
  }
  head_ = free_accesses_.back();
  free_accesses_.pop_back();
  accesses_[head_] = {&warp, 0, false};
  left_ = warp.access.mask;
  group_ = 0;
  singles_only_ = false;
  warp.set_response_status(tlm::TLM_OK_RESPONSE);
  if (warp.info.atomic != protocol::Atomic::kNone) ++stats_.atomics;
  else if (warp.is_write()) ++stats_.stores;
  else ++stats_.loads;
}

/// Sends what this cycle allows of the access at the head.
unsigned Coalescer::send_head() {
  Access& access = accesses_[head_];
  unsigned activity = Stats::kSent;
  if (access.payload->info.atomic != protocol::Atomic::kNone) {
    activity = send_atomic(access);
  } else {
    if (group_ == 0 && !singles_only_) {
      group_ = next_group(access.payload->access, left_, line_shift_);
      singles_only_ = group_ == 0;
    }
    activity = group_ != 0 ? send_line(access) : send_singles(access);
  }
  if (left_ == 0 && !access.sent) {
    const bool ordered = access.payload->info.atomic != protocol::Atomic::kNone;
    if (ordered && access.parts != 0) return activity;  // stays at the head until its last response
    access.sent = true;
    const unsigned slot = head_;
    head_ = kNone;
    if (access.parts == 0) finish(slot);
  }
  return activity;
}

unsigned Coalescer::send_atomic(Access& access) {
  if (access.parts != 0) return Stats::kAtomicOrder;
  if (left_ == 0) return Stats::kSent;
  const unsigned lane = static_cast<unsigned>(__builtin_ctz(left_));
  if (const unsigned why = obstacle(lane); why != Stats::kSent) return why;
  const protocol::WarpAccess& warp = access.payload->access;
  LinePayload& request = part(access, std::uint32_t{1} << lane, warp.address[lane], 4);
  request.info.atomic = access.payload->info.atomic;
  std::memcpy(request.data.data(), &warp.data[lane], 4);
  left_ &= left_ - 1;
  ++stats_.single_requests;
  send(lane, request);
  return Stats::kSent;
}

unsigned Coalescer::send_line(Access& access) {
  if (const unsigned why = obstacle(line_port_); why != Stats::kSent) return why;
  const std::uint32_t group = group_;
  const protocol::WarpAccess& warp = access.payload->access;
  const unsigned leader = static_cast<unsigned>(__builtin_ctz(group));
  const std::uint64_t block = std::uint64_t{warp.address[leader]} >> line_shift_ << line_shift_;
  const auto bytes = static_cast<unsigned>(params_.line_bytes);
  LinePayload& request = part(access, group, block, bytes);
  if (access.payload->is_write()) {
    request.use_byte_enables();
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
      const std::size_t at = warp.address[lane] - block;
      std::memcpy(&request.data[at], &warp.data[lane], warp.bytes);
      std::memset(&request.enables[at], 0xFF, warp.bytes);
    }
  }
  left_ &= ~group;
  group_ = 0;
  ++stats_.line_requests;
  stats_.coalesced_lanes += static_cast<unsigned>(__builtin_popcount(group));
  send(line_port_, request);
  return Stats::kSent;
}

unsigned Coalescer::send_singles(Access& access) {
  const protocol::WarpAccess& warp = access.payload->access;
  if (left_ == 0) return Stats::kSent;
  const auto lanes = static_cast<std::uint32_t>(left_ & ~(no_id_ | held_ports_));
  if (lanes == 0) return (left_ & no_id_) != 0 ? Stats::kNoId : Stats::kCacheBusy;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    LinePayload& request = part(access, std::uint32_t{1} << lane, warp.address[lane], warp.bytes);
    if (access.payload->is_write()) std::memcpy(request.data.data(), &warp.data[lane], warp.bytes);
    left_ &= ~(std::uint32_t{1} << lane);
    send(lane, request);
  }
  stats_.single_requests += static_cast<unsigned>(__builtin_popcount(lanes));
  return Stats::kSent;
}

LinePayload& Coalescer::part(const Access& access, std::uint32_t lanes, std::uint64_t address,
                             unsigned bytes) {
  LinePayload& request = pool_.take();
  request.setup(access.payload->get_command(), address, bytes, access.payload->info.origin);
  request.info.origin.lanes = lanes;
  const unsigned number = free_parts_.back();
  free_parts_.pop_back();
  parts_[number] = &request;
  request.info.tag = std::uint64_t{head_} << 32 | number;
  if (probe_ != nullptr)
    probe_->on_global_request(now(), source_, request.info.origin, left_ == access.payload->access.mask);
  return request;
}

void Coalescer::send(unsigned port, LinePayload& payload) {
  const std::uint64_t bit = std::uint64_t{1} << port;
  if (--ids_[port] == 0) no_id_ |= bit;
  ++accesses_[head_].parts;
  held_ports_ |= bit;  // until on_ready(), unless the cache takes it at once
  ports_[port]->send(payload);
  if (ports_[port]->ready()) held_ports_ &= ~bit;
}

/// Copies what the lanes of a response asked for, extended with zeros.
void Coalescer::take_data(const LinePayload& line, protocol::WarpAccess& access) {
  const std::uint64_t first = line.get_address();
  const unsigned char* data = line.data.data();
  const unsigned bytes = access.bytes;
  for (std::uint32_t rest = line.info.origin.lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const unsigned char* from = data + (access.address[lane] - first);
    std::uint32_t value = 0;
    if (bytes == 4) std::memcpy(&value, from, 4);
    else std::memcpy(&value, from, bytes);
    access.data[lane] = value;
  }
}

void Coalescer::on_response(unsigned port, Payload& payload) {
  auto& line = static_cast<LinePayload&>(payload);
  const auto slot = static_cast<unsigned>(line.info.tag >> 32);
  const auto number = static_cast<unsigned>(line.info.tag & 0xFFFFFFFF);
  Access& access = accesses_[slot];
  WarpPayload& warp = *access.payload;
  if (payload.is_response_error()) {
    warp.set_response_status(payload.get_response_status());
  } else if (payload.is_read() || line.info.atomic != protocol::Atomic::kNone) {
    take_data(line, warp.access);
  }
  parts_[number] = nullptr;
  free_parts_.push_back(number);
  pool_.drop(line);
  ++ids_[port];
  no_id_ &= ~(std::uint64_t{1} << port);
  if (--access.parts == 0 && access.sent) finish(slot);
  if (blocked_ == Stats::kNoId || blocked_ == Stats::kAtomicOrder) wake_now();
}

void Coalescer::on_ready(unsigned port) {
  held_ports_ &= ~(std::uint64_t{1} << port);
  // A head that waits for another port has nothing to look at.
  const bool wanted = group_ != 0 ? port == line_port_ : (std::uint64_t{left_} >> port & 1) != 0;
  if (blocked_ != 0 && wanted) wake_now();
}

void Coalescer::finish(unsigned slot) {
  done_.push({accesses_[slot].payload, now() + params_.response_latency});
  wake_at(done_.front().due);
  accesses_[slot] = {};
  free_accesses_.push_back(slot);
}

unsigned Coalescer::on_debug(unsigned, Payload& payload) { return out[line_port_]->transport_dbg(payload); }

bool Coalescer::on_direct_memory(unsigned, Payload& payload, tlm::tlm_dmi& dmi) {
  return out[line_port_]->get_direct_mem_ptr(payload, dmi);
}

void Coalescer::reset() {
  for (LinePayload*& payload : parts_) {
    if (payload != nullptr) pool_.drop(*payload);
    payload = nullptr;
  }
  free_parts_.clear();
  for (unsigned i = 0; i < parts_.size(); ++i) free_parts_.push_back(i);
  free_accesses_.clear();
  for (unsigned i = 0; i < accesses_.size(); ++i) free_accesses_.push_back(i);
  std::fill(accesses_.begin(), accesses_.end(), Access{});
  ids_.fill(static_cast<std::uint16_t>(params_.lane_ids));
  ids_[line_port_] = static_cast<std::uint16_t>(params_.line_ids);
  no_id_ = held_ports_ = 0;
  queue_.clear();
  done_.clear();
  in.reset();
  for (auto& socket : out) socket.reset();
  head_ = kNone;
  left_ = group_ = 0;
  singles_only_ = false;
  open_ = 0;
  blocked_ = 0;
  stats_.activity.charge(Stats::kIdle, now());
}

void Coalescer::dump_state(std::ostream& os) const {
  static constexpr const char* kWhy[] = {"sending", "sending", "waits for a free id", "cache holds a request",
                                         "waits for the atomic of the lane before"};
  if (open_ == 0) return;
  os << name() << ": " << open_ << " warp accesses open, " << queue_.size() << " queued, "
     << parts_.size() - free_parts_.size() << " requests in flight";
  if (head_ != kNone) {
    const protocol::Origin& origin = accesses_[head_].payload->info.origin;
    os << "; head of core " << origin.core << " warp " << unsigned{origin.warp} << " pc 0x" << std::hex
       << origin.pc << ", lanes left 0x" << left_ << std::dec << ": " << kWhy[blocked_];
  }
  os << "\n";
}

}  // namespace spica::coalescer
