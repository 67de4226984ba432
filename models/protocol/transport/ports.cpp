// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/transport/ports.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/protocol/transport/foreign_call.h"
#include "models/protocol/transport/links.h"
#include "models/protocol/transport/port_checks.h"

namespace spica::protocol {

void RequestHandler::on_blocking(unsigned port, Payload& payload, sc_core::sc_time&) {
  if (stepped_) return;
  const unsigned moved = on_debug(port, payload);
  payload.set_response_status(moved == payload.get_data_length() ? tlm::TLM_OK_RESPONSE
                                                                 : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

void Port::find_block(const sc_core::sc_object& socket) {
  timed_ = block_ = dynamic_cast<base::Component*>(socket.get_parent_object());
}

void Port::connect(Port* other, const sc_core::sc_object* others_socket) {
  known_ = true;
  outside_ = other == nullptr;
  if (other == nullptr) return;
  if (!other->known_) other->find_block(*others_socket);
  if (timed_ == nullptr) timed_ = other->block_;
  outside_ = other->domain() != nullptr && other->domain() != domain();
  same_cycle_ = !outside_;
}

void InitiatorPort::connect() {
  find_block(socket());
  TargetPort* const own = target();
  Port::connect(own, own == nullptr ? nullptr : &own->socket());
  require_clock(block_);
  if (stepped() && (own == nullptr || (own->block_ != nullptr && own->domain() != domain()))) {
    outside_ = true;  // it is called by b_transport
    same_cycle_ = false;
    return;
  }
  if (own != nullptr) require_clock(own->block_);
  if (own != nullptr && outside_) return cross(*own);
  if (!outside_ && links() == Links::kDirect) peer_ = own;
  if (!outside_ && own->offers_words_) words_ = own;
  if (links() == Links::kChecked)
    rules_ = std::make_unique<LinkRules>(
        [this](const std::string& sentence) { report_link(socket().name(), sentence); });
  same_cycle_ &= rules_ == nullptr;
}

/// The target is ours, in another domain.
void InitiatorPort::cross(TargetPort& target) {
  if (!target.known_) target.connect();
  crossing_ = std::make_unique<Crossing>(*this, target, *domain(), *target.domain());
  target.crossing_ = crossing_.get();
}

void InitiatorPort::send_by_transport(Payload& payload) {
  if (!same_cycle_) return send_elsewhere(payload);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  sending_ = true;
  if (forward(payload, phase, delay) == tlm::TLM_UPDATED) requested_ = nullptr;  // it responds later
  sending_ = false;
}

/// To a target that is not known yet, checked, in another domain or user-supplied.
[[gnu::noinline]] void InitiatorPort::send_elsewhere(Payload& payload) {
  if (!known_) {
    connect();
    if (peer_ != nullptr) {
      if (peer_->take(payload)) requested_ = nullptr;
      return;
    }
    if (same_cycle_) return send_by_transport(payload);
  }
  if (crossing_ != nullptr) return crossing_->send();
  if (outside_ && stepped()) return send_by_call(payload);
  if (outside_) hold(payload);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = ahead();
  sending_ = true;
  const tlm::tlm_sync_enum result = call(payload, phase, delay);
  if (!outside_) {  // one of ours, which responds later
    sending_ = false;
    if (result == tlm::TLM_UPDATED) requested_ = nullptr;
    return;
  }
  if (result != tlm::TLM_ACCEPTED) at(delay, [this, &payload] { accept(payload); });
  sending_ = false;
  if (result == tlm::TLM_COMPLETED || (result == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
    if (result == tlm::TLM_UPDATED) {
      phase = tlm::END_RESP;
      call(payload, phase, delay);
    }
    at(delay, [this, &payload] { take_response(payload); });
  }
}

/// From a block whose clock is stepped, to one that has no part in that: the effects are at once, the response comes later.
void InitiatorPort::send_by_call(Payload& payload) {
  hold(payload);
  sc_core::sc_time delay;
  call_foreign(socket(), [&] { forward_blocking(payload, delay); });
  requested_ = nullptr;
  const auto cycles = static_cast<base::Cycle>(std::ceil(delay / domain()->period()));
  domain()->deliver(domain()->now() + cycles, [this, &payload] { take_response(payload); });
}

tlm::tlm_sync_enum InitiatorPort::call(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto pass = [&] { return forward(payload, phase, delay); };
  const auto pass_on = [&] { return outside_ ? call_foreign(socket(), pass) : pass(); };
  if (rules_ == nullptr) return pass_on();
  rules_->forward(payload, phase, delay);
  const tlm::tlm_sync_enum result = pass_on();
  rules_->forward_returns(payload, result, phase, delay);
  return result;
}

tlm::tlm_sync_enum InitiatorPort::backward(Payload& payload, tlm::tlm_phase& phase,
                                           const sc_core::sc_time& delay) {
  if (!same_cycle_) return backward_from_elsewhere(payload, phase, delay);
  accept(payload);
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  handler_->on_response(port_, payload);
  return tlm::TLM_COMPLETED;
}

[[gnu::noinline]] tlm::tlm_sync_enum InitiatorPort::backward_from_elsewhere(Payload& payload,
                                                                            tlm::tlm_phase& phase,
                                                                            const sc_core::sc_time& delay) {
  const bool managed = payload.has_mm();
  if (managed) payload.acquire();  // it may not be used again before this call ends
  if (rules_ != nullptr) rules_->backward(payload, phase, delay);
  const tlm::tlm_sync_enum result = take(payload, phase, delay);
  if (rules_ != nullptr) rules_->backward_returns(payload, result, phase, delay);
  if (managed) payload.release();
  return result;
}

tlm::tlm_sync_enum InitiatorPort::take(Payload& payload, const tlm::tlm_phase& phase,
                                       const sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)  // which implies END_REQ
    at(delay, [this, &payload] { accept(payload); });
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  at(delay, [this, &payload] { take_response(payload); });
  return tlm::TLM_COMPLETED;
}

/// The payload goes to a module outside, which may keep it longer than a reset lets the block keep it.
void InitiatorPort::hold(Payload& payload) {
  payload.acquire();
  outstanding_.push_back(&payload);
  yield();
}

/// A response has come from outside. False: nothing here waits for it any more.
bool InitiatorPort::release(Payload& payload) {
  if (take_out(outstanding_, payload)) return true;
  if (!take_out(abandoned_, payload)) report_link(socket().name(), "response without an outstanding request");
  return false;
}

void InitiatorPort::accept(Payload& payload) {
  if (requested_ == &payload) accepted();
}

void InitiatorPort::take_response(Payload& payload) {
  if (!outside_) return handler_->on_response(port_, payload);
  if (release(payload)) {
    require_response(socket(), payload);
    handler_->on_response(port_, payload);
  }
  payload.release();
}

void InitiatorPort::reset() {
  if (crossing_ != nullptr) return crossing_->reset();
  if (outside_) {  // the other end continues
    abandoned_.insert(abandoned_.end(), outstanding_.begin(), outstanding_.end());
    outstanding_.clear();
  } else {
    requested_ = nullptr;
    if (rules_ != nullptr) rules_->reset();
  }
}

}  // namespace spica::protocol
