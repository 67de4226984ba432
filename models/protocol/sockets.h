// SPDX-License-Identifier: Apache-2.0
// The two sockets every block uses. They are ordinary TLM-2.0 sockets (32 bit, base protocol), so any
// TLM module can be bound to them, and they keep the rules of the base protocol in one place:
//
//   request    BEGIN_REQ; the target answers END_REQ at once when it has room. When it has none it holds
//              the request and sends END_REQ later; until then the socket is not ready().
//   response   BEGIN_RESP; the initiator takes it at once (TLM_COMPLETED): the sender of a request has
//              kept room for its response.
//
// Blocks see neither phases nor return codes, only the two small interfaces below. No time is annotated inside one
// clock domain: the cycle is that of the clock.
//
// Two of these sockets that are bound to each other know it from their first transaction on and call each
// other's blocks without the transport calls in between, which mean the same. A module that is bound in
// between, say a monitor, sees every phase. Where a target offers it, such a pair may read a word without a request
// (read_word), as direct memory access is possible beside b_transport: same data, same time.
#pragma once

#include <tlm>

#include "models/base/invariant.h"
#include "models/base/types.h"
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
};

/// What a block with target sockets implements.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  /// A new request on `port`. True: accepted (the block has put it into a queue). False: no room; the
  /// socket holds it, and the block takes it later with TargetSocket::take_held().
  virtual bool on_request(unsigned port, Payload& payload) = 0;
  /// Reads 4 bytes at once, where nothing can delay it, with all effects of a read request but its response, which
  /// would come `cycles` later. False: it takes a request. Asked where the socket offers words.
  virtual bool read_word(unsigned /*port*/, std::uint64_t /*address*/, std::uint32_t& /*word*/,
                         base::Cycle& /*cycles*/) {
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
  /// Only when ready(): reads a word without a request, see RequestHandler::read_word(). False: it takes one.
  bool read_word(std::uint64_t address, std::uint32_t& word, base::Cycle& cycles);
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
  TargetSocket* peer_ = nullptr;  // the bound target, when it is of our kind
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
  /// Before the simulation: RequestHandler::read_word() is asked.
  void offer_words() { offers_words_ = true; }
  /// The request that found no room, or nullptr.
  Payload* held() const { return held_; }
  /// Accepts the held request now (sends END_REQ); the caller has put it into a queue.
  void take_held();
  /// Sends the response of `payload`. Its status must be set.
  void respond(Payload& payload);
  void reset() { held_ = nullptr; }

 private:
  friend class InitiatorSocket;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  /// For loosely timed initiators: the fast mode, and modules from outside.
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override { return handler_->on_debug(port_, payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return handler_->on_direct_memory(port_, payload, dmi);
  }

  /// A new request. False: it is held.
  bool take(Payload& payload);
  // To an initiator that is not of our kind, and the first time, which finds that out.
  void accept_by_transport();
  void respond_by_transport(Payload& payload);
  tlm::tlm_bw_transport_if<>& initiator();

  bool offers_words_ = false;
  unsigned port_ = 0;
  RequestHandler* handler_ = nullptr;
  Payload* held_ = nullptr;
  InitiatorSocket* peer_ = nullptr;  // the bound initiator, when it is of our kind
  tlm::tlm_bw_transport_if<>* initiator_ = nullptr;  // the bound initiator
};

inline bool TargetSocket::take(Payload& payload) {
  if (handler_->on_request(port_, payload)) return true;
  SPICA_INVARIANT(held_ == nullptr);
  held_ = &payload;
  return false;
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
  if (peer_->take(payload)) held_ = false;
}

inline bool InitiatorSocket::read_word(std::uint64_t address, std::uint32_t& word, base::Cycle& cycles) {
  return peer_ != nullptr && peer_->offers_words_ &&
         peer_->handler_->read_word(peer_->port_, address, word, cycles);
}

}  // namespace spica::protocol
