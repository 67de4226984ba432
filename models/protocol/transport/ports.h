// SPDX-License-Identifier: Apache-2.0
// The two ends of a link, independent of the protocol type, which sockets.h adds.
//
//   request    BEGIN_REQ; a target without room holds the request; the socket is not ready() before its END_REQ.
//   response   BEGIN_RESP; the initiator takes it at once (TLM_COMPLETED): the sender keeps room for it.
//
// Blocks see neither phases nor return codes, only the handlers. The other end is one of three:
//   near       a socket of ours in the same clock domain: both ends are called in the same cycle. The two blocks call
//              each other without transport calls in between, with the same effect, unless Links says otherwise. A
//              module bound in between (a monitor) sees every phase. A target may offer words without requests (read_word)
//   far        a socket of ours in another domain: a Crossing connects the two, without transport calls
//   foreign    any other TLM module, with every variant of the base protocol: early completion, implied END_REQ, its
//              own END_RESP, annotated delays, b_transport. The block sees a call in the cycle that begins then or next
#pragma once

#include <list>
#include <memory>
#include <tlm>
#include <vector>

#include "models/base/component.h"
#include "models/base/invariant.h"
#include "models/protocol/transport/crossing.h"
#include "models/protocol/transport/handlers.h"
#include "models/protocol/transport/link_rules.h"

namespace spica::protocol {

class TargetPort;

/// The common part of both ends: the socket's block, and the time of calls.
class Port {
 public:
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

 protected:
  Port() = default;
  ~Port() = default;

  virtual const sc_core::sc_object& socket() const = 0;
  /// Finds the block: the parent of the socket.
  void find_block(const sc_core::sc_object& socket);
  /// Sets the other end; nullptr: not one of our sockets.
  void connect(Port* other, const sc_core::sc_object* others_socket);
  /// The domain of the block; a module without a clock uses that of the other end.
  base::ClockDomain* domain() const { return timed_ == nullptr ? nullptr : timed_->domain(); }
  /// The annotated delay of calls from inside a tick; irrelevant within a domain, where both ends share the cycle.
  sc_core::sc_time ahead() const {
    return !outside_ || domain() == nullptr ? sc_core::SC_ZERO_TIME : domain()->ahead();
  }
  /// True if an event `delay` from now belongs to the cycle being executed, or if there are no cycles.
  bool now(const sc_core::sc_time& delay) const {
    return !outside_ || domain() == nullptr || domain()->executes(sc_core::sc_time_stamp() + delay);
  }
  template <class Event>
  void at(const sc_core::sc_time& delay, Event&& event) const {
    if (now(delay)) event();
    else domain()->deliver(domain()->cycle_at(sc_core::sc_time_stamp() + delay), event);
  }
  base::Links links() const { return domain() == nullptr ? base::Links::kDirect : domain()->links(); }
  /// True if the clock ticks inside of a call (base::SteppedClock).
  bool stepped() const { return domain() != nullptr && domain()->stepper() != nullptr; }
  /// Called when the other end may have scheduled events of its own.
  void yield() const {
    if (domain() != nullptr) domain()->yield();
  }

  unsigned port_ = 0;  // the number that the handler receives
  base::Component* block_ = nullptr;  // nullptr: a module without a clock
  base::Component* timed_ = nullptr;  // the block, or the one at the other end
  bool outside_ = false;  // the other end is foreign, or in another domain
  bool known_ = false;  // the other end is known
  bool same_cycle_ = false;  // known, ours and not outside: both ends are called in the same cycle
};

class InitiatorPort : protected Port {
 public:
  /// Sets the handler of responses and the port number it receives. Call before binding.
  void attach(ResponseHandler& handler, unsigned port = 0) {
    handler_ = &handler;
    port_ = port;
  }
  /// False while the target holds the last request.
  bool ready() const { return requested_ == nullptr; }
  /// True while a user-supplied module has requests of this port.
  bool waits_for_others() const { return !outstanding_.empty(); }
  /// Sends a request. Requires ready().
  void send(Payload& payload);
  /// Reads a word without a request, see RequestHandler::read_word(). Requires ready(). False: send a request.
  bool read_word(std::uint64_t address, std::uint32_t& word, base::Cycle& cycles);
  /// Drops a held request; for reset() of a block whose target is also reset. Late responses of foreign modules are
  /// accepted and ignored.
  void reset();
  /// Not saved: handler_, peer_, words_; rules_ (a machine with them cannot be saved); outstanding_, abandoned_
  /// (links to user-supplied modules cannot be saved either); sending_, which is false between cycles.
  template <class Archive>
  void serialize(Archive& archive) {
    bool known = known_;
    archive(requested_, known);
    if (known && !known_) connect();
    if (crossing_ != nullptr) archive(*crossing_);
  }

 protected:
  ~InitiatorPort() = default;
  virtual tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) = 0;
  virtual void forward_blocking(Payload& payload, sc_core::sc_time& delay) = 0;
  /// The bound target, if it is one of ours.
  virtual TargetPort* target() = 0;
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, const sc_core::sc_time& delay);

 private:
  friend class TargetPort;
  friend class Crossing;
  void connect();
  void cross(TargetPort& target);
  void send_by_transport(Payload& payload);
  void send_elsewhere(Payload& payload);
  void send_by_call(Payload& payload);
  tlm::tlm_sync_enum backward_from_elsewhere(Payload& payload, tlm::tlm_phase& phase,
                                             const sc_core::sc_time& delay);
  tlm::tlm_sync_enum call(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum take(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void hold(Payload& payload);
  bool release(Payload& payload);
  void accept(Payload& payload);
  void take_response(Payload& payload);
  /// The target has accepted the held request.
  void accepted() {
    if (requested_ == nullptr) return;
    requested_ = nullptr;
    if (!sending_) handler_->on_ready(port_);
  }

  Payload* requested_ = nullptr;  // its BEGIN_REQ has not ended
  ResponseHandler* handler_ = nullptr;
  TargetPort* peer_ = nullptr;  // the bound target, if it is called directly
  TargetPort* words_ = nullptr;  // the target, if it offers words without requests
  std::unique_ptr<Crossing> crossing_;  // set if the target is in another domain
  bool sending_ = false;  // true inside send()
  std::vector<Payload*> outstanding_, abandoned_;  // at a foreign module; those that a reset has dropped
  std::unique_ptr<LinkRules> rules_;
};

class TargetPort : protected Port {
 public:
  /// Sets the handler of requests and the port number it receives. Call before binding.
  void attach(RequestHandler& handler, unsigned port = 0) {
    handler_ = &handler;
    port_ = port;
  }
  /// Enables RequestHandler::read_word(). Call before the simulation starts.
  void offer_words() { offers_words_ = true; }
  /// The full name of the socket, including its block.
  const char* path() const { return socket().name(); }
  /// The request that found no room, or nullptr.
  Payload* held() const { return held_; }
  /// Accepts the held request (sends END_REQ); the caller has queued it.
  void take_held();
  /// Sends the response of `payload`, whose status must be set.
  void respond(Payload& payload);
  void reset();
  /// Not saved: offers_words_, crossing_; arrived_, responses_, responding_, owned_elsewhere_, waiting_, which
  /// belong to links to user-supplied modules.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(held_);
  }

 protected:
  ~TargetPort() = default;
  virtual tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) = 0;
  /// The bound initiator, if it is one of ours.
  virtual InitiatorPort* initiator() = 0;
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void blocking(Payload& payload, sc_core::sc_time& delay);
  RequestHandler& handler() { return *handler_; }
  unsigned port() const { return port_; }

 private:
  friend class InitiatorPort;
  friend class Crossing;
  /// A waiting caller of b_transport.
  struct Waiting {
    Payload* payload;
    sc_core::sc_event done;
  };

  void connect();
  /// A new request. False: it is held.
  bool take(Payload& payload);
  void arrive(Payload& payload);
  bool refuses(Payload& payload) const;
  void end_request(Payload& payload);
  void step_until_answered(Payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum forward_from_elsewhere(Payload& payload, tlm::tlm_phase& phase,
                                            const sc_core::sc_time& delay);
  void accept_by_transport();
  void accept_elsewhere();
  void respond_by_transport(Payload& payload);
  void respond_elsewhere(Payload& payload);
  void begin_response(Payload& payload);
  void end_response();
  Waiting* waiting_for(const Payload& payload);

  bool offers_words_ = false;
  RequestHandler* handler_ = nullptr;
  Payload* held_ = nullptr;
  InitiatorPort* peer_ = nullptr;  // the bound initiator, if it is called directly
  Crossing* crossing_ = nullptr;  // crossing of the bound initiator, if it is in another domain
  // Nearly always empty; an empty list allocates no memory.
  std::list<Payload*> arrived_;  // requests from outside, waiting behind the held one
  std::list<Payload*> responses_;  // responses waiting for the END_RESP of the one before
  Payload* responding_ = nullptr;
  std::vector<Payload*> owned_elsewhere_;  // payloads that belong to a foreign module
  std::vector<Waiting*> waiting_;
};

inline bool TargetPort::take(Payload& payload) {
  if (handler_->on_request(port_, payload)) return true;
  SPICA_INVARIANT(held_ == nullptr);
  held_ = &payload;
  return false;
}

inline void TargetPort::take_held() {
  SPICA_INVARIANT(held_ != nullptr);
  if (peer_ == nullptr) return accept_by_transport();
  held_ = nullptr;
  peer_->accepted();
}

inline void TargetPort::respond(Payload& payload) {
  if (peer_ == nullptr) return respond_by_transport(payload);
  peer_->handler_->on_response(peer_->port_, payload);
}

inline void InitiatorPort::send(Payload& payload) {
  SPICA_INVARIANT(requested_ == nullptr);
  requested_ = &payload;  // set before the call: a target may accept the request or respond inside it
  if (peer_ == nullptr) return send_by_transport(payload);
  if (peer_->take(payload)) requested_ = nullptr;
}

inline bool InitiatorPort::read_word(std::uint64_t address, std::uint32_t& word, base::Cycle& cycles) {
  return words_ != nullptr && words_->handler_->read_word(words_->port_, address, word, cycles);
}

}  // namespace spica::protocol
