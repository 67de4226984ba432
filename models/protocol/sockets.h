// SPDX-License-Identifier: Apache-2.0
// The two sockets every block uses. They are ordinary TLM-2.0 sockets (32 bit, base protocol), so any
// TLM module can be bound to them, and they keep the rules of the base protocol in one place:
//
//   request    BEGIN_REQ; the target answers END_REQ at once when it has room. When it has none it holds
//              the request and sends END_REQ later; until then the socket is not ready().
//   response   BEGIN_RESP; the initiator takes it at once (TLM_COMPLETED): the sender of a request has
//              kept room for its response.
//
//   early      a target that knows at BEGIN_REQ when the response will come may answer TLM_COMPLETED
//              with that time annotated, if the request says that its initiator takes it (takes_early).
//
// Blocks see neither phases nor return codes, only the two small interfaces below. But for early
// responses no time is annotated inside one clock domain: the cycle is that of the clock.
//
// Two of these sockets that are bound to each other know it from their first transaction on and call each
// other's blocks without the transport calls in between, which mean the same. A module that is bound in
// between, say a monitor, sees every phase.
#pragma once

#include <tlm>

#include "models/base/invariant.h"
#include "models/protocol/payload_pool.h"

namespace spica::protocol {

/// What a block with initiator sockets implements.
class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;
  /// The request sent through `port` is done; its response status is set. Called once per request.
  virtual void on_response(unsigned port, Payload& payload) = 0;
  /// The request that the target held on `port` is accepted now; the socket is ready again.
  virtual void on_ready(unsigned port) = 0;
  /// Like on_response(), but the response is due only after `delay`. For who sends takes_early.
  virtual void on_early_response(unsigned port, Payload& payload, const sc_core::sc_time& delay);
};

/// What a block with target sockets implements.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  /// A new request on `port`. True: accepted (the block has put it into a queue). False: no room; the
  /// socket holds it, and the block takes it later with TargetSocket::take_held().
  virtual bool on_request(unsigned port, Payload& payload) = 0;
  /// The request can be answered ahead of time: does so, sets `delay` and returns true. Asked before
  /// on_request() where the socket offers early responses and the initiator takes them. `info` is that of
  /// the payload.
  virtual bool respond_early(unsigned /*port*/, Payload& /*payload*/, const RequestInfo& /*info*/,
                             sc_core::sc_time& /*delay*/) {
    return false;
  }
  /// Debug access: moves data at once, takes no time, changes no statistics. Returns the bytes moved.
  virtual unsigned on_debug(unsigned port, Payload& payload) = 0;
  /// A request of a loosely timed initiator: all its effects at once, its response status, and perhaps an
  /// estimated time, added to `delay`. Where it is not overridden it moves data like a debug access.
  virtual void on_blocking(unsigned port, Payload& payload, sc_core::sc_time& delay);
  /// Direct memory access; false when the block has no memory to point at.
  virtual bool on_direct_memory(unsigned /*port*/, Payload& /*payload*/, tlm::tlm_dmi& /*dmi*/) {
    return false;
  }
};

class TargetSocket;

class InitiatorSocket final : public tlm::tlm_initiator_socket<>, public tlm::tlm_bw_transport_if<> {
 public:
  explicit InitiatorSocket(const char* name);

  /// Before binding: who gets the responses, and under which port number.
  void attach(ResponseHandler& handler, unsigned port = 0) {
    handler_ = &handler;
    port_ = port;
  }
  /// False while the target holds the last request.
  bool ready() const { return !held_; }
  /// Sends a request; only when ready().
  void send(Payload& payload);
  /// Forgets a held request; for reset(), when the target is reset too.
  void reset() { held_ = false; }

 private:
  friend class TargetSocket;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  /// Of a target that is not of our kind, and of the first request, which finds that out.
  void send_by_transport(Payload& payload);
  /// The target held a request and has taken it now.
  void accepted() {
    if (!held_) return;
    held_ = false;
    handler_->on_ready(port_);
  }

  bool held_ = false;
  unsigned port_ = 0;
  ResponseHandler* handler_ = nullptr;
  TargetSocket* peer_ = nullptr;                    // the bound target, when it is of our kind
  tlm::tlm_fw_transport_if<>* target_ = nullptr;  // the bound target; the look-up costs more than the call
};

class TargetSocket final : public tlm::tlm_target_socket<>, public tlm::tlm_fw_transport_if<> {
 public:
  explicit TargetSocket(const char* name);

  /// Before binding: who serves the requests, and under which port number.
  void attach(RequestHandler& handler, unsigned port = 0) {
    handler_ = &handler;
    port_ = port;
  }
  /// Before the simulation: requests are offered to RequestHandler::respond_early().
  void offer_early() { early_ = true; }
  /// The request that found no room, or nullptr.
  Payload* held() const { return held_; }
  /// Accepts the held request now (sends END_REQ); the caller has put it into a queue.
  void take_held();
  /// Sends the response of `payload`. Its status must be set.
  void respond(Payload& payload);
  void reset() { held_ = nullptr; }

 private:
  friend class InitiatorSocket;
  enum class Answer { kAccepted, kHeld, kEarly };
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  /// For loosely timed initiators: the fast mode, and modules from outside.
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override { return handler_->on_debug(port_, payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return handler_->on_direct_memory(port_, payload, dmi);
  }

  /// A new request. `delay` is set with kEarly, which means that it is answered.
  Answer take(Payload& payload, sc_core::sc_time& delay);
  // To an initiator that is not of our kind, and the first time, which finds that out.
  void accept_by_transport();
  void respond_by_transport(Payload& payload);
  tlm::tlm_bw_transport_if<>& initiator();

  bool early_ = false;
  unsigned port_ = 0;
  RequestHandler* handler_ = nullptr;
  Payload* held_ = nullptr;
  InitiatorSocket* peer_ = nullptr;  // the bound initiator, when it is of our kind
  tlm::tlm_bw_transport_if<>* initiator_ = nullptr;  // the bound initiator
};

inline TargetSocket::Answer TargetSocket::take(Payload& payload, sc_core::sc_time& delay) {
  if (early_) {
    const RequestInfo& info = info_of(payload);
    if (info.takes_early && handler_->respond_early(port_, payload, info, delay)) return Answer::kEarly;
  }
  if (handler_->on_request(port_, payload)) return Answer::kAccepted;
  SPICA_INVARIANT(held_ == nullptr);
  held_ = &payload;
  return Answer::kHeld;
}

inline void TargetSocket::take_held() {
  SPICA_INVARIANT(held_ != nullptr);
  if (peer_ == nullptr) return accept_by_transport();
  held_ = nullptr;
  peer_->accepted();
}

inline void TargetSocket::respond(Payload& payload) {
  if (peer_ == nullptr) return respond_by_transport(payload);
  peer_->handler_->on_response(peer_->port_, payload);
}

inline void InitiatorSocket::send(Payload& payload) {
  SPICA_INVARIANT(!held_);
  held_ = true;  // a target may take the request or respond from inside the call
  if (peer_ == nullptr) return send_by_transport(payload);
  sc_core::sc_time delay;  // zero
  const TargetSocket::Answer answer = peer_->take(payload, delay);
  if (answer == TargetSocket::Answer::kHeld) return;
  held_ = false;
  if (answer == TargetSocket::Answer::kEarly) handler_->on_early_response(port_, payload, delay);
}

}  // namespace spica::protocol
