// SPDX-License-Identifier: Apache-2.0
#include "models/interconnect/network.h"

#include <algorithm>
#include <ostream>
#include <string_view>

#include "models/base/checkpoint.h"
#include "models/protocol/payload/route_stack.h"

namespace spica::interconnect {

using base::Cycle;
using protocol::Payload;
using protocol::RouteStack;

namespace {

base::ChannelAccounts accounts(NetworkStats& stats, const char* name, std::uint64_t ends,
                               const std::vector<std::string_view>& reasons) {
  return {stats, ends, name, "cycles of a port or slice, in one direction, by reason", reasons};
}

}  // namespace

Network::Network(const sc_core::sc_module_name& name, const NetworkParams& params,
                 const base::ClockDomain& clock)
    : Component(name, clock),
      in("in", params.port_of.size()),
      out("out", params.slices),
      params_(params),
      map_(params.slices, params.interleave_bytes, params.hash),
      traffic_("cluster", "slice",
               *std::max_element(params.cluster_of.begin(), params.cluster_of.end()) + std::size_t{1},
               params.slices),
      requests_(
          params.input_queue, params.queues, params.arbitration,
          accounts(stats_, "port_requests", params.ports(), {"idle", "moving", "port_busy", "slice_wait"}),
          accounts(stats_, "slice_requests", params.slices, {"idle", "moving", "slice_busy", "slice_full"})),
      responses_(
          params.slice_requests, params.queues, params.arbitration,
          accounts(stats_, "slice_responses", params.slices, {"idle", "moving", "slice_busy", "port_wait"}),
          accounts(stats_, "port_responses", params.ports(), {"idle", "moving", "port_busy"})),
      arrived_(static_cast<unsigned>(params.slices)) {
  std::vector<std::size_t> requesters(params.ports(), 0);
  for (const std::uint16_t port : params.port_of) ++requesters[port];
  for (const std::size_t count : requesters) ports_.emplace_back(count);
  for (std::uint64_t i = 0; i < params.slices; ++i) slices_.emplace_back(params.slice_requests);
  for (unsigned i = 0; i < in.size(); ++i) in[i].attach(*this, i);
  for (unsigned i = 0; i < out.size(); ++i) out[i].attach(*this, i);
  stats_.activity.charge(NetworkStats::kIdle, now());
}

bool Network::on_request(unsigned requester, Payload& payload) {
  const unsigned port = params_.port_of[requester];
  if (requests_.full(port)) {
    ports_[port].held.push(static_cast<std::uint16_t>(requester));
    return false;
  }
  enqueue(requester, payload);
  wake_next();
  return true;
}

void Network::enqueue(unsigned requester, Payload& payload) {
  ++inside_;
  const auto slice = static_cast<std::uint16_t>(map_.slice(payload.get_address()));
  requests_.push(params_.port_of[requester],
                 {&payload, requester, slice, packets(payload.is_write() ? payload.get_data_length() : 0)},
                 now());
}

void Network::on_response(unsigned slice, Payload& payload) {
  const unsigned requester = RouteStack::pop(payload, this);
  responses_.push(slice,
                  {&payload, requester, params_.port_of[requester],
                   packets(payload.is_read() ? payload.get_data_length() : 0)},
                  now());
  wake_now();
}

void Network::tick() {
  moved_ = false;
  to_requesters_.take_due(now(), [this](const Response& response) {
    --inside_;
    in[response.requester].respond(*response.payload);
  });
  responses_.tick(
      now(), [](unsigned) { return true; },
      [this](unsigned slice, const Transfer& transfer) { move_response(slice, transfer); });
  requests_.tick(
      now(), [this](unsigned slice) { return has_room(slice); },
      [this](unsigned port, const Transfer& transfer) { move_request(port, transfer); });
  to_slices_.take_due(now(), [this](const Arrival& arrival) { deliver(arrival); });
  hand_over();
  plan_wake();
  const unsigned rest = inside_ == 0 ? NetworkStats::kIdle : NetworkStats::kWaiting;
  if (moved_) stats_.activity.charge_cycle(NetworkStats::kMoving, rest, now());
  else if (rest != stats_.activity.current()) stats_.activity.charge(rest, now());
}

/// Also counts the time in which a slice has none.
bool Network::has_room(unsigned number) {
  Slice& slice = slices_[number];
  if (slice.in_flight < params_.slice_requests) return true;
  if (slice.full_since == base::kNever) slice.full_since = now();
  return false;
}

void Network::move_request(unsigned port, const Transfer& transfer) {
  Slice& slice = slices_[transfer.output];
  if (slice.full_since != base::kNever) {
    stats_.full_cycles += now() - slice.full_since;
    slice.full_since = base::kNever;
  }
  ++slice.in_flight;
  moved_ = true;
  Payload& payload = *transfer.payload;
  RouteStack::push(payload, this, transfer.requester);
  stats_.request_packets += transfer.packets;
  if (payload.is_write()) {
    ++stats_.writes;
    stats_.bytes_written += payload.get_data_length();
    traffic_.add(params_.cluster_of[transfer.requester], transfer.output, payload.get_data_length());
  } else {
    ++stats_.reads;
  }
  // Accepted one cycle ago at the earliest: that cycle is part of the latency.
  const Cycle due = now() + params_.request_latency - 1 + transfer.packets - 1u;
  const Arrival arrival{&payload, transfer.output};
  if (due > now()) to_slices_.schedule(now(), due, arrival);
  else deliver(arrival);

  auto& held = ports_[port].held;
  if (held.empty()) return;
  const unsigned requester = held.pop();
  enqueue(requester, *in[requester].held());
  in[requester].take_held();
}

void Network::move_response(unsigned slice, const Transfer& transfer) {
  --slices_[slice].in_flight;
  moved_ = true;
  stats_.response_packets += transfer.packets;
  if (transfer.payload->is_read()) {
    stats_.bytes_read += transfer.payload->get_data_length();
    traffic_.add(params_.cluster_of[transfer.requester], slice, transfer.payload->get_data_length());
  }
  to_requesters_.schedule(now(), now() + params_.response_latency + transfer.packets - 1,
                          {transfer.payload, transfer.requester});
}

void Network::deliver(const Arrival& arrival) {
  slices_[arrival.slice].arrived.push(arrival.payload);
  arrived_.insert(arrival.slice);
}

/// One request per cycle and slice.
void Network::hand_over() {
  arrived_.each([this](unsigned number) {
    if (!out[number].ready()) return;
    Slice& slice = slices_[number];
    Payload& payload = *slice.arrived.pop();
    if (slice.arrived.empty()) arrived_.erase(number);
    out[number].send(payload);
  });
}

void Network::plan_wake() {
  Cycle next = std::min(to_requesters_.next(now()), to_slices_.next(now()));
  next = std::min(next, responses_.next(now(), [](unsigned) { return true; }));
  next = std::min(next, requests_.next(now(), [this](unsigned slice) {
    return slices_[slice].in_flight < params_.slice_requests;
  }));
  arrived_.each([&](unsigned slice) {
    if (out[slice].ready()) next = std::min(next, now() + 1);
  });
  if (next != base::kNever) wake_at(std::max(next, now() + 1));
}

void Network::catch_up() {
  requests_.catch_up(now());
  responses_.catch_up(now());
  for (Slice& slice : slices_) {
    if (slice.full_since == base::kNever) continue;
    stats_.full_cycles += now() - slice.full_since;
    slice.full_since = now();
  }
}

// All slices lead to the same memory.
unsigned Network::on_debug(unsigned, Payload& payload) {
  return out[map_.slice(payload.get_address())]->transport_dbg(payload);
}

bool Network::on_direct_memory(unsigned, Payload& payload, tlm::tlm_dmi& dmi) {
  return out[0]->get_direct_mem_ptr(payload, dmi);
}

void Network::reset() {
  requests_.clear(now());
  responses_.clear(now());
  to_slices_.clear();
  to_requesters_.clear();
  arrived_.clear();
  for (Port& port : ports_) port.held.clear();
  catch_up();
  for (Slice& slice : slices_) {
    slice.arrived.clear();
    slice.in_flight = 0;
    slice.full_since = base::kNever;
  }
  for (auto& socket : in) socket.reset();
  for (auto& socket : out) socket.reset();
  inside_ = 0;
  stats_.activity.charge(NetworkStats::kIdle, now());
}

void Network::dump_state(std::ostream& os) const {
  for (unsigned i = 0; i < ports_.size(); ++i)
    if (requests_.queued(i) != 0)
      os << name() << " port " << i << ": " << requests_.queued(i) << " queued, " << ports_[i].held.size()
         << " held at the requesters\n";
  for (unsigned i = 0; i < slices_.size(); ++i)
    if (slices_[i].in_flight != 0)
      os << name() << " slice " << i << ": " << slices_[i].in_flight << " requests, "
         << slices_[i].arrived.size() << " waiting at the slice" << (out[i].ready() ? "" : " (held by it)")
         << ", " << responses_.queued(i) << " responses waiting\n";
  if (!to_requesters_.empty())
    os << name() << ": " << to_requesters_.size() << " responses on the way back\n";
}

/// Not saved: moved_, which is valid only within a tick.
bool Network::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(in);
  checkpoint.each(out);
  checkpoint.each(ports_);
  checkpoint.each(slices_);
  checkpoint(requests_, responses_, to_slices_, to_requesters_, arrived_, inside_, stats_, traffic_);
  return true;
}

}  // namespace spica::interconnect
