// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "models/base/stepped_clock.h"
#include "models/protocol/transport/foreign_call.h"
#include "models/protocol/transport/links.h"
#include "models/protocol/transport/port_checks.h"
#include "models/protocol/transport/ports.h"

namespace spica::protocol {

namespace {

/// Of a stepped block: one that has not answered by then never will.
constexpr base::Cycle kMostCycles = 10'000'000;
constexpr const char* kInstead = "; override on_blocking() for the fast mode, or use run.mode cycle";

}  // namespace

void TargetPort::connect() {
  find_block(socket());
  InitiatorPort* const own = initiator();
  Port::connect(own, own == nullptr ? nullptr : &own->socket());
  handler_->stepped_ = stepped();
  if (stepped() && (own == nullptr || own->domain() != domain())) return;  // it is called by b_transport
  if (!outside_ && links() == Links::kDirect) peer_ = own;
}

tlm::tlm_sync_enum TargetPort::forward(Payload& payload, tlm::tlm_phase& phase,
                                       const sc_core::sc_time& delay) {
  if (!same_cycle_ || phase != tlm::BEGIN_REQ) return forward_from_elsewhere(payload, phase, delay);
  if (!take(payload)) return tlm::TLM_ACCEPTED;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

/// From an initiator that is not known yet, in another domain or user-supplied; or END_RESP.
[[gnu::noinline]] tlm::tlm_sync_enum TargetPort::forward_from_elsewhere(Payload& payload,
                                                                        tlm::tlm_phase& phase,
                                                                        const sc_core::sc_time& delay) {
  if (!known_) connect();
  if (phase == tlm::END_RESP) {
    at(delay, [this] { end_response(); });
    return tlm::TLM_COMPLETED;
  }
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  if (outside_) require_clock(block_);
  if (now(delay)) {
    if (!take(payload)) return tlm::TLM_ACCEPTED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  if (!payload.has_mm()) {
    report_link(socket().name(), "a payload that comes through nb_transport needs a memory manager");
    return tlm::TLM_COMPLETED;
  }
  payload.acquire();
  owned_elsewhere_.push_back(&payload);
  domain()->deliver(domain()->cycle_at(sc_core::sc_time_stamp() + delay),
                    [this, &payload] { arrive(payload); });
  return tlm::TLM_ACCEPTED;
}

/// Sets the response of what no block takes.
bool TargetPort::refuses(Payload& payload) const {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return false;
  if (payload.get_data_ptr() != nullptr && payload.get_data_length() != 0 &&
      payload.get_streaming_width() >= payload.get_data_length())
    return false;
  payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  return true;
}

/// A request from outside, in its cycle.
void TargetPort::arrive(Payload& payload) {
  if (refuses(payload)) {
    end_request(payload);
    return respond_by_transport(payload);
  }
  if (held_ != nullptr || !arrived_.empty()) arrived_.push_back(&payload);
  else if (take(payload)) end_request(payload);
}

void TargetPort::end_request(Payload& payload) {
  if (!waiting_.empty() && waiting_for(payload) != nullptr) return;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = ahead();
  if (outside_) yield();
  backward(payload, phase, delay);
}

void TargetPort::accept_by_transport() {
  if (!same_cycle_ || !waiting_.empty() || !arrived_.empty()) return accept_elsewhere();
  Payload& payload = *held_;
  held_ = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay;
  backward(payload, phase, delay);
}

[[gnu::noinline]] void TargetPort::accept_elsewhere() {
  if (!known_) {
    connect();
    if (peer_ != nullptr) return take_held();
  }
  if (crossing_ != nullptr) return crossing_->take_held();
  Payload& payload = *held_;
  held_ = nullptr;
  end_request(payload);
  while (held_ == nullptr && !arrived_.empty()) {
    Payload& next = *arrived_.front();
    arrived_.pop_front();
    if (take(next)) end_request(next);
  }
}

void TargetPort::respond_by_transport(Payload& payload) {
  if (!same_cycle_ || !waiting_.empty()) return respond_elsewhere(payload);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  backward(payload, phase, delay);  // which takes it at once
}

[[gnu::noinline]] void TargetPort::respond_elsewhere(Payload& payload) {
  if (!known_) {
    connect();
    if (peer_ != nullptr) return peer_->handler_->on_response(peer_->port_, payload);
  }
  if (crossing_ != nullptr) return crossing_->respond(payload);
  if (!outside_ && waiting_.empty()) return begin_response(payload);
  if (Waiting* const waiting = waiting_for(payload); waiting != nullptr) {
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), waiting));
    waiting->done.notify(ahead());
    return yield();
  }
  if (responding_ == nullptr) begin_response(payload);
  else responses_.push_back(&payload);
}

void TargetPort::begin_response(Payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = ahead();
  if (!outside_) {  // takes it at once
    backward(payload, phase, delay);
    return;
  }
  responding_ = &payload;
  yield();
  const tlm::tlm_sync_enum result = backward(payload, phase, delay);
  if (result == tlm::TLM_COMPLETED || (result == tlm::TLM_UPDATED && phase == tlm::END_RESP)) end_response();
}

void TargetPort::end_response() {
  if (responding_ == nullptr) return;
  Payload& payload = *responding_;
  responding_ = nullptr;
  if (take_out(owned_elsewhere_, payload)) payload.release();
  if (responses_.empty()) return;
  Payload& next = *responses_.front();
  responses_.pop_front();
  begin_response(next);
}

TargetPort::Waiting* TargetPort::waiting_for(const Payload& payload) {
  for (Waiting* waiting : waiting_)
    if (waiting->payload == &payload) return waiting;
  return nullptr;
}

/// Of a block whose clock is stepped: until it has answered.
void TargetPort::step_until_answered(Payload& payload, sc_core::sc_time& delay) {
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  handler_->on_blocking(port_, payload, delay);
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) return;
  base::SteppedClock& clock = *domain()->stepper();
  const auto refuse = [this](const std::string& what) { throw ForeignError(socket(), what + kInstead); };
  if (clock.steps()) refuse("is called by b_transport while a block on its clock ticks");
  const base::Cycle begin = clock.begin();
  Waiting waiting{&payload, {}};
  waiting_.push_back(&waiting);
  try {
    arrive(payload);
    while (waiting_for(payload) != nullptr) {
      if (!clock.step()) refuse("has accepted a request, and nothing is scheduled that could answer it");
      if (clock.passed_since(begin) > kMostCycles)
        refuse("has not answered a request in " + std::to_string(kMostCycles) + " cycles");
    }
  } catch (...) {
    if (waiting_for(payload) != nullptr)
      waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &waiting));
    throw;
  }
  delay += static_cast<double>(clock.passed_since(begin)) * domain()->period();
}

void TargetPort::blocking(Payload& payload, sc_core::sc_time& delay) {
  if (!known_) connect();
  if (stepped()) return step_until_answered(payload, delay);
  const sc_core::sc_process_handle caller = sc_core::sc_get_current_process_handle();
  if (domain() == nullptr || !caller.valid()) return handler_->on_blocking(port_, payload, delay);
  if (caller.proc_kind() == sc_core::SC_METHOD_PROC_)
    report_link(socket().name(), "b_transport takes time and cannot be called from an SC_METHOD");
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  Waiting waiting{&payload, {}};
  waiting_.push_back(&waiting);
  domain()->deliver(domain()->cycle_at(sc_core::sc_time_stamp()), [this, &payload] { arrive(payload); });
  sc_core::wait(waiting.done);
}

void TargetPort::reset() {
  if (crossing_ != nullptr) return crossing_->reset();
  held_ = nullptr;
  if (!outside_) return;
  arrived_.clear();
  // The other end continues: it has answers to what it has asked.
  for (Waiting* waiting : std::vector<Waiting*>(waiting_)) {
    waiting->payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    respond_by_transport(*waiting->payload);
  }
  for (Payload* payload : std::vector<Payload*>(owned_elsewhere_)) {
    if (payload == responding_ ||
        std::find(responses_.begin(), responses_.end(), payload) != responses_.end())
      continue;
    payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    respond_by_transport(*payload);
  }
}

}  // namespace spica::protocol
