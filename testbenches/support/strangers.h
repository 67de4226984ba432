// SPDX-License-Identifier: Apache-2.0
// Modules as other people write them, without a line of ours: standard sockets, processes of their own.
#pragma once

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstring>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

/// LeakSanitizer would read all of the stacks of an SC_THREAD, also the page behind them that nobody may read.
extern "C" [[gnu::used]] inline int __lsan_is_turned_off() { return 1; }

namespace stranger {

using Payload = tlm::tlm_generic_payload;

/// 4 KB; does what the payload says, byte enables too.
struct Bytes {
  unsigned char bytes[4096] = {};
  unsigned reads = 0, writes = 0;

  void access(Payload& payload) {
    const unsigned n = payload.get_data_length();
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    ++(payload.is_write() ? writes : reads);
    for (unsigned i = 0; i < n; ++i) {
      if (enables != nullptr && enables[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
      unsigned char& here = bytes[(payload.get_address() + i) % sizeof bytes];
      if (payload.is_write()) here = payload.get_data_ptr()[i];
      else payload.get_data_ptr()[i] = here;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

/// Loosely timed: each access takes `latency`.
struct LooseMemory final : sc_core::sc_module, Bytes {
  LooseMemory(const sc_core::sc_module_name& name, const sc_core::sc_time& each)
      : sc_module(name), latency(each) {
    in.register_b_transport(this, &LooseMemory::serve);
    in.register_transport_dbg(this, &LooseMemory::debug);
  }
  void serve(Payload& payload, sc_core::sc_time& delay) {
    delay += latency;
    access(payload);
  }
  unsigned debug(Payload& payload) {
    access(payload);
    return payload.get_data_length();
  }
  const sc_core::sc_time latency;
  tlm_utils::simple_target_socket<LooseMemory> in{"in"};
};

/// Approximately timed: how it answers a request is `style`.
struct Memory final : sc_core::sc_module, tlm::tlm_fw_transport_if<>, Bytes {
  enum class Style {
    kCompletes,  // TLM_COMPLETED, with the latency annotated
    kResponds,  // TLM_UPDATED with BEGIN_RESP, with the latency annotated
    kFourPhases,  // END_REQ after half of the latency, BEGIN_RESP after all of it
    kNoEndOfRequest,  // BEGIN_RESP alone
    kBackwards,  // answers pairs of requests in reverse order
  };
  Memory(const sc_core::sc_module_name& name, Style how, const sc_core::sc_time& each)
      : sc_module(name), style(how), latency(each), requests("requests"), answers("answers") {
    in.bind(*this);
    SC_HAS_PROCESS(Memory);
    SC_METHOD(end_requests);
    dont_initialize();
    sensitive << requests.get_event();
    SC_METHOD(answer);
    dont_initialize();
    sensitive << answers.get_event();
  }

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    payload.acquire();
    switch (style) {
      case Style::kCompletes:
      case Style::kResponds:
        access(payload);
        delay += latency;
        payload.release();
        if (style == Style::kCompletes) return tlm::TLM_COMPLETED;
        phase = tlm::BEGIN_RESP;
        return tlm::TLM_UPDATED;
      case Style::kFourPhases: requests.notify(payload, delay + latency / 2); [[fallthrough]];
      case Style::kNoEndOfRequest: answers.notify(payload, delay + latency); return tlm::TLM_ACCEPTED;
      case Style::kBackwards:
        phase = tlm::END_REQ;
        if (first == nullptr) {
          first = &payload;
        } else {
          answers.notify(payload, delay + latency);
          answers.notify(*first, delay + latency + latency);
          first = nullptr;
        }
        return tlm::TLM_UPDATED;
    }
    return tlm::TLM_ACCEPTED;
  }
  void end_requests() {
    while (Payload* const payload = requests.get_next_transaction()) {
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time delay;
      in->nb_transport_bw(*payload, phase, delay);
    }
  }
  void answer() {
    while (Payload* const payload = answers.get_next_transaction()) {
      access(*payload);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay;
      in->nb_transport_bw(*payload, phase, delay);
      payload->release();
    }
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) override {
    access(payload);
    delay += latency;
  }
  unsigned transport_dbg(Payload& payload) override {
    access(payload);
    return payload.get_data_length();
  }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) override {
    dmi.set_start_address(0);
    dmi.set_end_address(~std::uint64_t{0});
    return false;
  }

  tlm::tlm_target_socket<> in{"in"};
  const Style style;
  const sc_core::sc_time latency;
  tlm_utils::peq_with_get<Payload> requests, answers;
  Payload* first = nullptr;
};

struct Manager final : tlm::tlm_mm_interface {
  void free(Payload*) override {}
};

/// Sends reads of 32 bytes through nb_transport at given times.
struct Reader final : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  struct Request {
    sc_core::sc_time at, annotated, accepted, answered;
    std::uint64_t address = 0;
  };
  /// `slow`: it ends each response only after that time, with END_RESP.
  Reader(const sc_core::sc_module_name& name, std::vector<Request> plan,
         const sc_core::sc_time& slow = sc_core::SC_ZERO_TIME)
      : sc_module(name), requests(std::move(plan)), slowness_(slow), ends_("ends") {
    out.bind(*this);
    SC_HAS_PROCESS(Reader);
    SC_THREAD(run);
    SC_METHOD(end_responses);
    dont_initialize();
    sensitive << ends_.get_event();
  }
  void run() {
    for (Request& request : requests) {
      if (request.at > sc_core::sc_time_stamp()) wait(request.at - sc_core::sc_time_stamp());
      Payload& payload = *payloads_.emplace_back(std::make_unique<Payload>(&manager_));
      payload.acquire();
      payload.set_read();
      payload.set_address(request.address);
      payload.set_data_ptr(data_);
      payload.set_data_length(32);
      payload.set_streaming_width(32);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = request.annotated;
      if (out->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED) wait(accepted_);
      request.accepted = sc_core::sc_time_stamp();
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_REQ) accepted_.notify(delay);
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    for (std::size_t i = 0; i < payloads_.size(); ++i)
      if (payloads_[i].get() == &payload) requests[i].answered = sc_core::sc_time_stamp() + delay;
    status = payload.get_response_status();
    if (slowness_ == sc_core::SC_ZERO_TIME) return tlm::TLM_COMPLETED;
    ends_.notify(payload, delay + slowness_);
    return tlm::TLM_ACCEPTED;
  }
  void end_responses() {
    while (Payload* const payload = ends_.get_next_transaction()) {
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_core::sc_time delay;
      out->nb_transport_fw(*payload, phase, delay);
    }
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  tlm::tlm_initiator_socket<> out{"out"};
  std::vector<Request> requests;
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;

 private:
  const sc_core::sc_time slowness_;
  tlm_utils::peq_with_get<Payload> ends_;
  Manager manager_;
  std::vector<std::unique_ptr<Payload>> payloads_;
  sc_core::sc_event accepted_;
  unsigned char data_[32] = {};
};

/// A processor with a quantum: computes `think` between reads and writes of a word, through b_transport.
struct Processor final : sc_core::sc_module {
  Processor(const sc_core::sc_module_name& name, std::uint64_t address, const sc_core::sc_time& think,
            unsigned count)
      : sc_module(name), address_(address), think_(think), count_(count) {
    SC_HAS_PROCESS(Processor);
    SC_THREAD(run);
  }
  void run() {
    tlm_utils::tlm_quantumkeeper keeper;
    tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_core::sc_time(1, sc_core::SC_US));
    keeper.reset();
    for (unsigned i = 0; i < count_; ++i) {
      keeper.inc(think_);
      std::uint32_t word = 100 + i;
      access(tlm::TLM_WRITE_COMMAND, word, keeper);
      word = 0;
      access(tlm::TLM_READ_COMMAND, word, keeper);
      read.push_back(word);
      if (keeper.need_sync()) keeper.sync();
    }
    ended = keeper.get_current_time();
  }
  void access(tlm::tlm_command command, std::uint32_t& word, tlm_utils::tlm_quantumkeeper& keeper) {
    Payload payload;
    payload.set_command(command);
    payload.set_address(address_);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay = keeper.get_local_time();
    out->b_transport(payload, delay);
    keeper.set(delay);
    if (payload.is_response_error()) ++errors;
  }
  tlm_utils::simple_initiator_socket<Processor> out{"out"};
  std::vector<std::uint32_t> read;
  unsigned errors = 0;
  sc_core::sc_time ended;

 private:
  const std::uint64_t address_;
  const sc_core::sc_time think_;
  const unsigned count_;
};

}  // namespace stranger
