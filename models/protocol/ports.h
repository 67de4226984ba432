// SPDX-License-Identifier: Apache-2.0
// The two ends of a link, without the type of its protocol; sockets.h gives them one.
//
//   request    BEGIN_REQ; the target answers END_REQ at once when it has room. When it has none it holds the request
//              and sends END_REQ later; until then the socket is not ready().
//   response   BEGIN_RESP; the initiator takes it at once (TLM_COMPLETED): who sends a request keeps room for it.
//
// Blocks see neither phases nor return codes, only the handlers. The other end may be
//   one of ours in the same clock domain: both are called in the same cycle. Such a pair calls each other's blocks
//              without the transport calls in between, which mean the same, unless Links says otherwise. A module that
//              is bound in between, say a monitor, sees every phase. Where a target offers it, such a pair may read a
//              word
// without a request (read_word), as direct memory access is possible in addition to b_transport
//   one of ours in another domain: a Crossing is between the two, without transport calls any other TLM module: every
//   way through the base protocol is understood, early completion, implied END_REQ, END_RESP
//              of its own, annotated delays, b_transport; the block sees it in the first cycle that begins then or
//              later
#pragma once

#include <list>
#include <memory>
#include <tlm>
#include <vector>

#include "models/base/component.h"
#include "models/base/invariant.h"
#include "models/protocol/crossing.h"
#include "models/protocol/handlers.h"
#include "models/protocol/link_rules.h"

namespace spica::protocol {

class TargetPort;

/// What both ends share: whose socket it is, and when something happens.
class Port {
 public:
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

 protected:
  Port() = default;
  ~Port() = default;

  /// The block is the parent of the socket.
  void find_block(const sc_core::sc_object& socket);
  /// Gets to know the other end; nullptr: not one of ours.
  void meet(Port* other, const sc_core::sc_object* others_socket);
  /// Of the block; a module without a clock is in that of the other end.
  base::ClockDomain* domain() const { return timed_ == nullptr ? nullptr : timed_->domain(); }
  /// What is called from inside a tick is annotated with this; one of ours in the same domain is in the same cycle
  /// anyway.
  sc_core::sc_time ahead() const {
    return !outside_ || domain() == nullptr ? sc_core::SC_ZERO_TIME : domain()->ahead();
  }
  /// What happens `delay` from now on belongs to the cycle being executed, or there are no cycles.
  bool now(const sc_core::sc_time& delay) const {
    return !outside_ || domain() == nullptr || domain()->executes(sc_core::sc_time_stamp() + delay);
  }
  template <class Event>
  void at(const sc_core::sc_time& delay, Event&& event) const {
    if (now(delay)) event();
    else domain()->deliver(domain()->cycle_at(sc_core::sc_time_stamp() + delay), event);
  }
  base::Links links() const { return domain() == nullptr ? base::Links::kDirect : domain()->links(); }
  /// The other end may have plans of its own now.
  void yield() const {
    if (domain() != nullptr) domain()->yield();
  }

  base::Component* block_ = nullptr;  // nullptr: a module without a clock
  base::Component* timed_ = nullptr;  // the block, or the one at the other end
  bool outside_ = false;  // the other end is not ours, or in another domain
  bool known_ = false;  // the other end
  bool same_cycle_ = false;  // known, ours and not outside: both ends are called in the same cycle
};

class InitiatorPort : protected Port {
 public:
  /// Before binding: who gets the responses, and under which port number.
  void attach(ResponseHandler& handler, unsigned port = 0) {
    handler_ = &handler;
    port_ = port;
  }
  /// False while the target holds the last request.
  bool ready() const { return requested_ == nullptr; }
  /// Requests are at a user-supplied module.
  bool waits_for_others() const { return !outstanding_.empty(); }
  /// Sends a request; only when ready().
  void send(Payload& payload);
  /// Only when ready(): reads a word without a request, see RequestHandler::read_word(). False: it takes one.
  bool read_word(std::uint64_t address, std::uint32_t& word, base::Cycle& cycles);
  /// Forgets a held request; for reset(), when the target is reset too. Responses of others to requests under way are
  /// taken and dropped.
  void reset();
  /// Not saved: port_, handler_, peer_, words_; rules_, a machine with them is refused; outstanding_, abandoned_, as
  /// links to a user-supplied module are; sending_, which is over between two cycles.
  template <class Archive>
  void serialize(Archive& archive) {
    bool known = known_;
    archive(requested_, known);
    if (known && !known_) meet();
    if (crossing_ != nullptr) archive(*crossing_);
  }

 protected:
  ~InitiatorPort() = default;
  virtual tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) = 0;
  /// The target that is bound, if it is of our kind.
  virtual TargetPort* target() = 0;
  virtual const sc_core::sc_object& socket() const = 0;
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, const sc_core::sc_time& delay);

 private:
  friend class TargetPort;
  friend class Crossing;
  void meet();
  void cross(TargetPort& target);
  void send_by_transport(Payload& payload);
  void send_elsewhere(Payload& payload);
  tlm::tlm_sync_enum backward_from_elsewhere(Payload& payload, tlm::tlm_phase& phase,
                                             const sc_core::sc_time& delay);
  tlm::tlm_sync_enum call(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum take(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void hold(Payload& payload);
  bool release(Payload& payload);
  void accept(Payload& payload);
  void take_response(Payload& payload);
  /// The target held a request and has taken it now.
  void accepted() {
    if (requested_ == nullptr) return;
    requested_ = nullptr;
    if (!sending_) handler_->on_ready(port_);
  }

  Payload* requested_ = nullptr;  // whose BEGIN_REQ has no end yet
  unsigned port_ = 0;
  ResponseHandler* handler_ = nullptr;
  TargetPort* peer_ = nullptr;  // the bound target, when it is called directly
  TargetPort* words_ = nullptr;  // when it gives words without requests
  std::unique_ptr<Crossing> crossing_;  // when it is in another domain
  bool sending_ = false;  // inside send()
  std::vector<Payload*> outstanding_;  // payloads at a module outside
  std::vector<Payload*> abandoned_;  // those from before a reset
  std::unique_ptr<LinkRules> rules_;
};

class TargetPort : protected Port {
 public:
  /// Before binding: who serves the requests, and under which port number.
  void attach(RequestHandler& handler, unsigned port = 0) {
    handler_ = &handler;
    port_ = port;
  }
  /// Before the simulation: RequestHandler::read_word() is asked.
  void offer_words() { offers_words_ = true; }
  /// The name of the socket, with that of its block.
  const char* path() const { return socket().name(); }
  /// The request that found no room, or nullptr.
  Payload* held() const { return held_; }
  /// Accepts the held request now (sends END_REQ); the caller has put it into a queue.
  void take_held();
  /// Sends the response of `payload`. Its status must be set.
  void respond(Payload& payload);
  void reset();
  /// Not saved: offers_words_, port_, crossing_; arrived_, responses_, responding_, owned_elsewhere_, waiting_, which
  /// are of links to user-supplied module.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(held_);
  }

 protected:
  ~TargetPort() = default;
  virtual tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) = 0;
  /// The initiator that is bound, if it is of our kind.
  virtual InitiatorPort* initiator() = 0;
  virtual const sc_core::sc_object& socket() const = 0;
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void blocking(Payload& payload, sc_core::sc_time& delay);
  RequestHandler& handler() { return *handler_; }
  unsigned port() const { return port_; }

 private:
  friend class InitiatorPort;
  friend class Crossing;
  /// A caller of b_transport that waits.
  struct Waiting {
    Payload* payload;
    sc_core::sc_event done;
  };

  void meet();
  /// A new request. False: it is held.
  bool take(Payload& payload);
  void arrive(Payload& payload);
  bool refuses(Payload& payload) const;
  void end_request(Payload& payload);
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
  unsigned port_ = 0;
  RequestHandler* handler_ = nullptr;
  Payload* held_ = nullptr;
  InitiatorPort* peer_ = nullptr;  // the bound initiator, when it is called directly
  Crossing* crossing_ = nullptr;  // of the bound initiator, when it is in another domain
  // Nearly always empty: a list then has no memory.
  std::list<Payload*> arrived_;  // from outside, behind the one that is held
  std::list<Payload*> responses_;  // behind the one whose END_RESP is to come
  Payload* responding_ = nullptr;
  std::vector<Payload*> owned_elsewhere_;  // payloads of a module outside
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
  requested_ = &payload;  // a target may take the request or respond from inside the call
  if (peer_ == nullptr) return send_by_transport(payload);
  if (peer_->take(payload)) requested_ = nullptr;
}

inline bool InitiatorPort::read_word(std::uint64_t address, std::uint32_t& word, base::Cycle& cycles) {
  return words_ != nullptr && words_->handler_->read_word(words_->port_, address, word, cycles);
}

}  // namespace spica::protocol
