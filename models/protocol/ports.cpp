// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/ports.h"

#include <algorithm>
#include <string>

#include "models/protocol/foreign_call.h"
#include "models/protocol/links.h"

namespace spica::protocol {

namespace {

/// Of whoever binds or calls a socket in a way that cannot work.
void report(const char* where, const std::string& what) {
  SC_REPORT_ERROR("/spica/link", (std::string(where) + ": " + what).c_str());
}

/// What is to happen at the block would never happen.
void require_clock(const base::Component* block) {
  if (block == nullptr || block->domain() != nullptr) return;
  report(block->name(),
         "belongs to no clock domain: call ClockDomain::add() with it before the simulation starts");
}

/// False: it is not there.
bool remove(std::vector<Payload*>& list, const Payload& payload) {
  const auto found = std::find(list.begin(), list.end(), &payload);
  if (found == list.end()) return false;
  list.erase(found);
  return true;
}

}  // namespace

void RequestHandler::on_blocking(unsigned port, Payload& payload, sc_core::sc_time&) {
  const unsigned moved = on_debug(port, payload);
  payload.set_response_status(moved == payload.get_data_length() ? tlm::TLM_OK_RESPONSE
                                                                 : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

void Port::find_block(const sc_core::sc_object& socket) {
  timed_ = block_ = dynamic_cast<base::Component*>(socket.get_parent_object());
}

void Port::meet(Port* other, const sc_core::sc_object* others_socket) {
  known_ = true;
  outside_ = other == nullptr;
  if (other == nullptr) return;
  if (!other->known_) other->find_block(*others_socket);
  if (timed_ == nullptr) timed_ = other->block_;
  outside_ = other->domain() != nullptr && other->domain() != domain();
}

// -- the initiator's end

void InitiatorPort::meet() {
  find_block(socket());
  TargetPort* const own = target();
  Port::meet(own, own == nullptr ? nullptr : &own->socket());
  require_clock(block_);
  if (own != nullptr) require_clock(own->block_);
  if (own != nullptr && outside_) return cross(*own);
  if (!outside_ && links() == Links::kDirect) peer_ = own;
  if (!outside_ && own->offers_words_) words_ = own;
  if (links() == Links::kChecked)
    rules_ = std::make_unique<LinkRules>(
        [this](const std::string& sentence) { report(socket().name(), sentence); });
}

/// The target is ours, in another domain.
void InitiatorPort::cross(TargetPort& target) {
  if (!target.known_) target.meet();
  crossing_ = std::make_unique<Crossing>(*this, target, *domain(), *target.domain());
  target.crossing_ = crossing_.get();
}

void InitiatorPort::send_by_transport(Payload& payload) {
  if (!known_) {
    meet();
    if (peer_ != nullptr) {
      if (peer_->take(payload)) requested_ = nullptr;
      return;
    }
  }
  if (crossing_ != nullptr) return crossing_->send();
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
  if (!outside_ && rules_ == nullptr) {  // one of ours, in the same cycle
    accept(payload);
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    handler_->on_response(port_, payload);
    return tlm::TLM_COMPLETED;
  }
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
  lent_.push_back(&payload);
  yield();
}

/// A response has come from outside. False: nobody here waits for it any more.
bool InitiatorPort::let_go(Payload& payload) {
  if (remove(lent_, payload)) return true;
  if (!remove(abandoned_, payload))
    report(socket().name(), "a response comes, and its request is not under way");
  return false;
}

void InitiatorPort::accept(Payload& payload) {
  if (requested_ == &payload) accepted();
}

void InitiatorPort::take_response(Payload& payload) {
  if (!outside_) return handler_->on_response(port_, payload);
  if (let_go(payload)) {
    require_response(socket(), payload);
    handler_->on_response(port_, payload);
  }
  payload.release();
}

void InitiatorPort::reset() {
  if (crossing_ != nullptr) return crossing_->reset();
  if (outside_) {  // the other end goes on
    abandoned_.insert(abandoned_.end(), lent_.begin(), lent_.end());
    lent_.clear();
  } else {
    requested_ = nullptr;
    if (rules_ != nullptr) rules_->reset();
  }
}

// -- the target's end

void TargetPort::meet() {
  find_block(socket());
  InitiatorPort* const own = initiator();
  Port::meet(own, own == nullptr ? nullptr : &own->socket());
  if (!outside_ && links() == Links::kDirect) peer_ = own;
}

tlm::tlm_sync_enum TargetPort::forward(Payload& payload, tlm::tlm_phase& phase,
                                       const sc_core::sc_time& delay) {
  if (!known_) meet();
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
    report(socket().name(), "a payload that comes through nb_transport needs a memory manager");
    return tlm::TLM_COMPLETED;
  }
  payload.acquire();
  borrowed_.push_back(&payload);
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
  if (!known_) {
    meet();
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
  if (!known_) {
    meet();
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
  if (remove(borrowed_, payload)) payload.release();
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

void TargetPort::blocking(Payload& payload, sc_core::sc_time& delay) {
  if (!known_) meet();
  const sc_core::sc_process_handle caller = sc_core::sc_get_current_process_handle();
  if (domain() == nullptr || !caller.valid()) return handler_->on_blocking(port_, payload, delay);
  if (caller.proc_kind() == sc_core::SC_METHOD_PROC_)
    report(socket().name(), "b_transport takes time and cannot be called from an SC_METHOD");
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
  // The other end goes on: it has answers to what it has asked.
  for (Waiting* waiting : std::vector<Waiting*>(waiting_)) {
    waiting->payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    respond_by_transport(*waiting->payload);
  }
  for (Payload* payload : std::vector<Payload*>(borrowed_)) {
    if (payload == responding_ ||
        std::find(responses_.begin(), responses_.end(), payload) != responses_.end())
      continue;
    payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    respond_by_transport(*payload);
  }
}

}  // namespace spica::protocol
