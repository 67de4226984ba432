// SPDX-License-Identifier: Apache-2.0
// What blocks see of a request is the same whether their sockets are bound to each other or to a module between
// them, and such a module sees every phase.
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/protocol/transport/sockets.h"
#include "testbenches/support/catch.h"

using namespace spica::protocol;

namespace {

using Log = std::vector<std::string>;

struct Sender final : sc_core::sc_module, ResponseHandler {
  explicit Sender(const sc_core::sc_module_name& name) : sc_module(name) { socket.attach(*this, 7); }
  void on_response(unsigned port, Payload& payload) override {
    note("response", port, payload);
    pool.drop(static_cast<LinePayload&>(payload));
  }
  void on_ready(unsigned port) override { log.push_back("ready at " + std::to_string(port)); }
  void send(std::uint64_t address) {
    LinePayload& payload = pool.take();
    payload.setup(tlm::TLM_READ_COMMAND, address, 4, {});
    socket.send(payload);
    log.emplace_back(socket.ready() ? "sent" : "sent, held");
  }
  void read(std::uint64_t address) {
    std::uint32_t word = 0;
    spica::base::Cycle cycles = 0;
    if (!socket.read_word(address, word, cycles)) return send(address);
    log.push_back(std::to_string(word) + " in " + std::to_string(cycles) + " cycles");
  }
  void note(const std::string& what, unsigned port, const Payload& payload) {
    log.push_back(what + " at " + std::to_string(port) + " for " + std::to_string(payload.get_address()));
  }

  InitiatorSocket socket{"socket"};
  LinePool pool;
  Log log;
};

/// Has room for one request; gives words from 100 on at once.
struct Receiver final : sc_core::sc_module, RequestHandler {
  explicit Receiver(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.attach(*this, 3);
    socket.offer_words();
  }
  bool on_request(unsigned port, Payload& payload) override {
    log.push_back("request at " + std::to_string(port));
    if (waiting != nullptr) return false;
    waiting = &payload;
    return true;
  }
  bool read_word(unsigned, std::uint64_t address, std::uint32_t& word, spica::base::Cycle& cycles) override {
    if (address < 100) return false;
    word = 42;
    cycles = 5;
    return true;
  }
  unsigned on_debug(unsigned, Payload&) override { return 0; }
  /// Takes the held request if there is one, then answers the one before it.
  void answer() {
    Payload& payload = *waiting;
    waiting = socket.held();
    if (waiting != nullptr) socket.take_held();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    socket.respond(payload);
  }

  TargetSocket socket{"socket"};
  Payload* waiting = nullptr;
  Log log;
};

/// A user's module between the two: passes on all calls and writes down the phases.
struct Monitor final : sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
  explicit Monitor(const sc_core::sc_module_name& name) : sc_module(name) {
    in.bind(*this);
    out.bind(*this);
  }
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    const tlm::tlm_sync_enum result = (note(phase), out->nb_transport_fw(payload, phase, delay));
    if (result == tlm::TLM_UPDATED) note(phase);
    if (result == tlm::TLM_COMPLETED) log.emplace_back("COMPLETED");
    return result;
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    note(phase);
    return in->nb_transport_bw(payload, phase, delay);
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) override { out->b_transport(payload, delay); }
  unsigned transport_dbg(Payload& payload) override { return out->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return out->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void note(const tlm::tlm_phase& phase) { log.emplace_back(phase.get_name()); }

  tlm::tlm_target_socket<> in{"in"};
  tlm::tlm_initiator_socket<> out{"out"};
  Log log;
};

void play(Sender& sender, Receiver& receiver) {
  sender.send(0);
  sender.send(4);  // finds no room
  receiver.answer();
  receiver.answer();
}

/// A pair bound to each other, and one with a monitor between.
struct Links {
  Links() {
    direct_sender.socket.bind(direct_receiver.socket);
    watched_sender.socket.bind(monitor.in);
    monitor.out.bind(watched_receiver.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  Sender direct_sender{"direct_sender"}, watched_sender{"watched_sender"};
  Receiver direct_receiver{"direct_receiver"}, watched_receiver{"watched_receiver"};
  Monitor monitor{"monitor"};
};

}  // namespace

TEST_CASE("a module between two sockets sees every phase and changes nothing for the blocks") {
  Links links;
  auto& [direct_sender, watched_sender, direct_receiver, watched_receiver, monitor] = links;

  for (int round = 0; round < 2; ++round) {  // the sockets get to know each other in the first
    play(direct_sender, direct_receiver);
    play(watched_sender, watched_receiver);
  }

  const Log once = {"sent", "sent, held", "ready at 7", "response at 7 for 0", "response at 7 for 4"};
  Log twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  CHECK(direct_sender.log == twice);
  CHECK(watched_sender.log == twice);
  CHECK(direct_receiver.log == watched_receiver.log);
  CHECK(direct_receiver.log == Log(4, "request at 3"));

  const Log phases = {"BEGIN_REQ", "END_REQ", "BEGIN_REQ", "END_REQ", "BEGIN_RESP", "BEGIN_RESP"};
  Log all = phases;
  all.insert(all.end(), phases.begin(), phases.end());
  CHECK(monitor.log == all);
  CHECK(direct_sender.pool.in_use() == 0);
  CHECK(watched_sender.pool.in_use() == 0);
}

TEST_CASE(
    "sockets bound to each other read a word without a request, a module between them sees every request") {
  Links links;
  auto& [direct_sender, watched_sender, direct_receiver, watched_receiver, monitor] = links;

  for (Sender* sender : {&direct_sender, &watched_sender}) {
    Receiver& receiver = sender == &direct_sender ? direct_receiver : watched_receiver;
    sender->send(0);  // the sockets get to know each other
    receiver.answer();
    sender->log.clear();
    sender->read(8);  // not given at once
    receiver.answer();
    sender->read(100);
    if (receiver.waiting != nullptr && sender == &watched_sender) receiver.answer();
  }
  CHECK(direct_sender.log == Log{"sent", "response at 7 for 8", "42 in 5 cycles"});
  CHECK(watched_sender.log == Log{"sent", "response at 7 for 8", "sent", "response at 7 for 100"});
  CHECK(watched_receiver.log.size() == 3);
}
