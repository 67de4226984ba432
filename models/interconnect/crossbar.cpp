// SPDX-License-Identifier: Apache-2.0
#include "models/interconnect/crossbar.h"
#include "models/base/checkpoint.h"
#include "models/protocol/payload/route_stack.h"

#include <algorithm>
#include <ostream>

namespace spica::interconnect {

using base::Cycle;
using protocol::Payload;
using protocol::RouteStack;

Crossbar::Channel::Channel(const CrossbarParams& params)
    : arbiter(static_cast<unsigned>(params.masters)),
      requests(params.request_latency + 1),
      responses(params.max_outstanding) {}

Crossbar::Crossbar(const sc_core::sc_module_name& name, const CrossbarParams& params,
                   const base::ClockDomain& clock, const protocol::AddressMap& map)
    : Component(name, clock),
      in("in", params.masters),
      out("out", params.targets),
      params_(params),
      map_(map),
      request_use_(stats_, params.targets, "requests", "cycles of the request channel of a target by reason",
                   {"idle", "moving", "channel_busy", "max_outstanding", "target_held"}),
      response_use_(stats_, params.targets, "responses",
                    "cycles of the response channel of a target by reason",
                    {"idle", "moving", "channel_busy"}),
      waiting_(static_cast<unsigned>(params.masters)),
      served_(waiting_),
      found_(waiting_) {
  for (std::uint64_t i = 0; i < params.masters; ++i) queues_.emplace_back(params.master_queue);
  for (std::uint64_t i = 0; i < params.targets; ++i) channels_.emplace_back(params);
  for (unsigned i = 0; i < in.size(); ++i) {
    in[i].attach(*this, i);
    masters_.push_back(&in[i]);
  }
  for (unsigned i = 0; i < out.size(); ++i) {
    out[i].attach(*this, i);
    targets_.push_back(&out[i]);
  }
}

unsigned Crossbar::target_of(std::uint64_t address) const {
  if (map_.regions().empty()) return 0;
  const protocol::Region* region = map_.find(address);
  return region != nullptr && region->target < channels_.size() ? region->target : kNoTarget;
}

bool Crossbar::on_request(unsigned port, Payload& payload) {
  if (queues_[port].full()) return false;
  wake_next();
  queues_[port].push(&payload);
  waiting_.insert(port);
  return true;
}

void Crossbar::on_response(unsigned port, Payload& payload) {
  Channel& channel = channels_[port];
  const Cycle length = payload.is_read() ? beats(payload.get_data_length()) : 1;
  // The first beat travels response_latency cycles; the channel carries one beat per cycle.
  const Cycle start = std::max(now() + params_.response_latency, channel.response_free);
  channel.response_free = start + length;
  // Charged as it enters the channel.
  const Cycle enters = start - params_.response_latency;
  if (enters > now()) response_use_[port].wait(now(), enters, base::ChannelAccount::kIdle, now());
  response_use_[port].carry(enters, enters + length, now());
  channel.responses.push({&payload, RouteStack::pop(payload, this), start + length - 1});
  --channel.outstanding;
  stats_.response_beats += length;
  if (payload.is_read()) stats_.bytes_read += payload.get_data_length();
  // A request may wait for the credit this response gives back.
  if (channel.outstanding + 1 == params_.max_outstanding && !waiting_.empty()) wake_now();
  wake_at(channel.responses.front().due);
}

void Crossbar::tick() {
  served_.clear();
  if (!map_.regions().empty()) refuse_unmapped();
  for (unsigned target = 0; target < targets_.size(); ++target) {
    Channel& channel = channels_[target];
    if (!channel.responses.empty() && channel.responses.front().due <= now()) deliver_responses(channel);
    if (!channel.requests.empty() && channel.requests.front().due <= now()) hand_over(target);
    if (!waiting_.empty()) arbitrate(target);
  }
  plan_wake();
}

void Crossbar::deliver_responses(Channel& channel) {
  while (!channel.responses.empty() && channel.responses.front().due <= now()) {
    const Response response = channel.responses.pop();
    masters_[response.master]->respond(*response.payload);
  }
}

void Crossbar::hand_over(unsigned target) {
  Channel& channel = channels_[target];
  if (targets_[target]->ready()) targets_[target]->send(*channel.requests.pop().payload);
}

const base::PortSet& Crossbar::find_requests(unsigned target) {
  found_.clear();
  waiting_.each([this, target](unsigned master) {
    if (target_of(queues_[master].front()->get_address()) == target) found_.insert(master);
  });
  return found_;
}

void Crossbar::arbitrate(unsigned target) {
  Channel& channel = channels_[target];
  if (channel.request_free > now() || channel.requests.full() || !has_credit(channel)) return;
  const base::PortSet* requests = &requests_for(target);
  if (!served_.empty()) requests = &(found_ = *requests).remove(served_);
  if (requests->empty()) return;

  const unsigned master = channel.arbiter.pick(*requests);
  served_.insert(master);
  Payload& payload = *queues_[master].pop();
  take_held(master);
  const unsigned bytes = payload.get_data_length();
  const Cycle length = payload.is_write() ? beats(bytes) : 1;
  channel.request_free = now() + length;
  request_use_[target].carry(now(), now() + length, now());
  // Accepted one cycle ago at the earliest: that cycle is part of the latency.
  channel.requests.push({&payload, now() + params_.request_latency - 1 + length - 1});
  ++channel.outstanding;
  RouteStack::push(payload, this, master);
  stats_.request_beats += length;
  if (payload.is_write()) {
    ++stats_.writes;
    stats_.bytes_written += bytes;
  } else {
    ++stats_.reads;
  }
  if (channel.requests.size() == 1 && channel.requests.front().due <= now()) hand_over(target);
}

void Crossbar::take_held(unsigned master) {
  if (Payload* held = masters_[master]->held(); held != nullptr) {
    queues_[master].push(held);
    masters_[master]->take_held();
  }
  if (queues_[master].empty()) waiting_.erase(master);
}

/// Requests to no target are answered here, in the cycle in which they would have been arbitrated.
void Crossbar::refuse_unmapped() {
  waiting_.each([this](unsigned master) {
    if (target_of(queues_[master].front()->get_address()) != kNoTarget) return;
    served_.insert(master);
    Payload& payload = *queues_[master].pop();
    take_held(master);
    ++stats_.address_errors;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    in[master].respond(payload);
  });
}

void Crossbar::plan_wake() {
  Cycle next = base::kNever;
  for (unsigned target = 0; target < targets_.size(); ++target) {
    const Channel& channel = channels_[target];
    if (!channel.responses.empty()) next = std::min(next, channel.responses.front().due);
    if (!channel.requests.empty() && targets_[target]->ready())
      next = std::min(next, channel.requests.front().due);
    // Waiting masters continue when the channel is free; a full one is announced by on_ready or
    // on_response.
    if (waiting_.empty() || requests_for(target).empty()) {
      request_use_[target].stop_waiting(now());
      continue;
    }
    request_use_[target].wait(has_credit(channel) ? kTargetHeld : kOutstanding, now());
    if (!channel.requests.full() && has_credit(channel)) next = std::min(next, channel.request_free);
  }
  if (next != base::kNever) wake_at(std::max(next, now() + 1));
}

unsigned Crossbar::on_debug(unsigned, Payload& payload) {
  const unsigned target = target_of(payload.get_address());
  return target == kNoTarget ? 0 : out[target]->transport_dbg(payload);
}

bool Crossbar::on_direct_memory(unsigned, Payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  const unsigned target = target_of(address);
  if (target == kNoTarget) return false;
  const bool granted = out[target]->get_direct_mem_ptr(payload, dmi);
  if (const protocol::Region* region = map_.regions().empty() ? nullptr : map_.find(address)) {
    if (granted && dmi.get_start_address() < region->base)
      dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (region->base - dmi.get_start_address()));
    dmi.set_start_address(std::max<std::uint64_t>(dmi.get_start_address(), region->base));
    dmi.set_end_address(std::min<std::uint64_t>(dmi.get_end_address(), region->base + (region->size - 1)));
  }
  return granted;
}

void Crossbar::reset() {
  for (auto& queue : queues_) queue.clear();
  for (Channel& channel : channels_) channel = Channel(params_);
  request_use_.clear(now());
  response_use_.clear(now());
  for (auto& socket : in) socket.reset();
  for (auto& socket : out) socket.reset();
  waiting_.clear();
}

bool Crossbar::idle() const {
  return waiting_.empty() && std::all_of(channels_.begin(), channels_.end(), [](const Channel& channel) {
           return channel.requests.empty() && channel.responses.empty() && channel.outstanding == 0;
         });
}

void Crossbar::dump_state(std::ostream& os) const {
  for (std::size_t i = 0; i < queues_.size(); ++i)
    if (!queues_[i].empty()) os << name() << " master " << i << ": " << queues_[i].size() << " queued\n";
  for (unsigned i = 0; i < channels_.size(); ++i) {
    const Channel& channel = channels_[i];
    if (channel.outstanding == 0 && channel.responses.empty()) continue;
    os << name() << " target " << i << ": " << channel.outstanding << " outstanding, "
       << channel.requests.size() << " on the way" << (out[i].ready() ? "" : " (held by the target)") << ", "
       << channel.responses.size() << " responses on the way back\n";
  }
}

bool Crossbar::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(in);
  checkpoint.each(out);
  checkpoint.each(queues_);
  checkpoint.each(channels_);
  checkpoint(request_use_, response_use_, waiting_, served_, stats_);
  return true;
}

}  // namespace spica::interconnect
