// SPDX-License-Identifier: Apache-2.0
// The two sockets every block uses. They are ordinary TLM-2.0 sockets (32 bit, base protocol), so any
// TLM module can be bound to them, and they keep the rules of the base protocol in one place:
//
//   request    BEGIN_REQ; the target answers END_REQ at once when it has room. When it has none it holds
//              the request and sends END_REQ later; until then the socket is not ready().
//   response   BEGIN_RESP; the initiator takes it at once (TLM_COMPLETED): whoever sends a request has
//              kept room for its response.
//
//   early      a target that knows at BEGIN_REQ when the response will come may answer TLM_COMPLETED
//              with that time annotated, if the request says that its initiator takes it (takes_early).
//
// Blocks see neither phases nor return codes, only the two small interfaces below. But for early
// responses no time is annotated inside one clock domain: the cycle is that of the clock.
#pragma once

#include <tlm>

#include "models/protocol/request_info.h"

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

class InitiatorSocket final : public tlm::tlm_initiator_socket<>,
                              private tlm::tlm_bw_transport_if<> {
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
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  /// The bound target; kept because looking it up through the port costs more than the call.
  tlm::tlm_fw_transport_if<>& target() {
    if (target_ == nullptr) target_ = get_base_port()[0];
    return *target_;
  }

  ResponseHandler* handler_ = nullptr;
  tlm::tlm_fw_transport_if<>* target_ = nullptr;
  unsigned port_ = 0;
  bool held_ = false;
};

class TargetSocket final : public tlm::tlm_target_socket<>, private tlm::tlm_fw_transport_if<> {
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
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  /// For loosely timed initiators: the fast mode, and modules from outside.
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override { return handler_->on_debug(port_, payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return handler_->on_direct_memory(port_, payload, dmi);
  }

  /// The bound initiator; see InitiatorSocket::target().
  tlm::tlm_bw_transport_if<>& initiator() {
    if (initiator_ == nullptr) initiator_ = get_base_port()[0];
    return *initiator_;
  }

  RequestHandler* handler_ = nullptr;
  tlm::tlm_bw_transport_if<>* initiator_ = nullptr;
  Payload* held_ = nullptr;
  unsigned port_ = 0;
  bool early_ = false;
};

}  // namespace spica::protocol
