// SPDX-License-Identifier: Apache-2.0
#include "models/interconnect/peripheral_bus.h"

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"
#include "models/protocol/payload/route_stack.h"
#include "models/protocol/transport/foreign_call.h"

namespace spica::interconnect {

using base::Cycle;
using protocol::Payload;
using protocol::RouteStack;

PeripheralBus::PeripheralBus(const sc_core::sc_module_name& name, const PeripheralBusParams& params,
                             const base::ClockDomain& clock, const protocol::AddressMap& map)
    : Component(name, clock),
      in("in", params.masters),
      out("out", params.targets),
      params_(params),
      map_(map),
      requests_(params.request_latency + 1),
      arbiter_(static_cast<unsigned>(params.masters)) {
  for (std::uint64_t i = 0; i < params.masters; ++i) queues_.emplace_back(params.master_queue);
  for (unsigned i = 0; i < in.size(); ++i) in[i].attach(*this, i);
  for (unsigned i = 0; i < out.size(); ++i) out[i].attach(*this, i);
}

unsigned PeripheralBus::target_of(std::uint64_t address) const {
  const protocol::Region* region = map_.find(address);
  if (region == nullptr || region->route != protocol::Route::kPeripheral) return kNoTarget;
  return region->target < out.size() ? region->target : kNoTarget;
}

bool PeripheralBus::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(in);
  checkpoint.each(out);
  checkpoint.each(queues_);
  checkpoint(requests_, responses_, arbiter_, waiting_, outstanding_, stats_, use_);
  return true;
}

bool PeripheralBus::on_request(unsigned port, Payload& payload) {
  if (queues_[port].full()) return false;
  wake_next();
  queues_[port].push(&payload);
  waiting_ |= std::uint64_t{1} << port;
  return true;
}

void PeripheralBus::on_response(unsigned, Payload& payload) {
  const unsigned master = RouteStack::pop(payload, this);
  responses_.schedule(now(), now() + params_.response_latency, {&payload, master});
  wake_at(now() + params_.response_latency);
}

void PeripheralBus::tick() {
  responses_.take_due(now(), [this](const Response& response) {
    --outstanding_;
    in[response.master].respond(*response.payload);
  });
  hand_over();
  arbitrate();
  Cycle next = responses_.next(now());
  // The head of the requests waits for its time or for on_ready().
  if (!requests_.empty() && (requests_.front().target == kNoTarget || out[requests_.front().target].ready()))
    next = std::min(next, requests_.front().due);
  if (waiting_ != 0 && !requests_.full()) next = std::min(next, now() + 1);
  if (next != base::kNever) wake_at(std::max(next, now() + 1));
}

void PeripheralBus::hand_over() {
  if (requests_.empty() || requests_.front().due > now()) return;
  const unsigned target = requests_.front().target;
  if (target != kNoTarget && !out[target].ready()) return;
  const Transfer transfer = requests_.pop();
  Payload& payload = *transfer.payload;
  if (target == kNoTarget) {
    ++stats_.address_errors;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    in[transfer.master].respond(payload);
    return;
  }
  ++outstanding_;
  RouteStack::push(payload, this, transfer.master);
  if (payload.is_write()) ++stats_.writes;
  else ++stats_.reads;
  out[target].send(payload);
}

void PeripheralBus::arbitrate() {
  if (waiting_ == 0) return;
  if (requests_.full()) return use_.wait(PeripheralBusStats::kPeripheralHeld, now());
  const unsigned master = arbiter_.pick(waiting_);
  Payload& payload = *queues_[master].pop();
  requests_.push({&payload, master, target_of(payload.get_address()), now() + params_.request_latency - 1});
  if (Payload* held = in[master].held(); held != nullptr) {
    queues_[master].push(held);
    in[master].take_held();
  }
  if (queues_[master].empty()) waiting_ &= ~(std::uint64_t{1} << master);
  use_.carry(now(), now() + 1, now());
  if (waiting_ != 0) use_.wait(PeripheralBusStats::kPeripheralHeld, now());
  else use_.stop_waiting(now());
  if (requests_.size() == 1) hand_over();
}

unsigned PeripheralBus::on_debug(unsigned, Payload& payload) {
  const unsigned target = target_of(payload.get_address());
  return target == kNoTarget ? 0 : out[target]->transport_dbg(payload);
}

void PeripheralBus::on_blocking(unsigned, Payload& payload, sc_core::sc_time& delay) {
  const unsigned target = target_of(payload.get_address());
  if (target == kNoTarget) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  protocol::call_foreign(out[target], [&] { out[target]->b_transport(payload, delay); });
  protocol::require_response(out[target], payload);
}

/// Peripherals act on every access, so there is no memory to point at. Refuses for all addresses.
bool PeripheralBus::on_direct_memory(unsigned, Payload&, tlm::tlm_dmi& dmi) {
  dmi.set_start_address(0);
  dmi.set_end_address(~std::uint64_t{0});
  return false;
}

void PeripheralBus::reset() {
  for (auto& queue : queues_) queue.clear();
  requests_.clear();
  responses_.clear();
  arbiter_.reset();
  use_.clear(now());
  for (auto& socket : in) socket.reset();
  for (auto& socket : out) socket.reset();
  waiting_ = 0;
  outstanding_ = 0;
}

void PeripheralBus::dump_state(std::ostream& os) const {
  for (std::size_t i = 0; i < queues_.size(); ++i)
    if (!queues_[i].empty()) os << name() << " core " << i << ": " << queues_[i].size() << " queued\n";
  if (!requests_.empty() || outstanding_ != 0)
    os << name() << ": " << requests_.size() << " on the way, " << outstanding_ << " at peripherals\n";
}

}  // namespace spica::interconnect
