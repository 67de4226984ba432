// SPDX-License-Identifier: Apache-2.0
// Neighbours of a block under test: a clock, an initiator that plays requests, a memory that answers.
//
//   Bench bench;
//   SharedMemory dut("dut", params, bench.clock);
//   TrafficAgent agent("agent", bench.clock);
//   agent.socket.bind(dut.in[0]);
//   bench.add(dut); bench.add(agent);           // tick order: downstream first
//   agent.at(10, payload);
//   bench.run();
//   CHECK(agent.done(payload) == 10 + latency);
#pragma once

#include <systemc>
#include <unordered_map>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/clock_domain.h"
#include "models/base/component.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/transport/links.h"
#include "models/protocol/transport/sockets.h"

namespace spica::testbench {

using base::Cycle;
using protocol::LinePayload;
using protocol::Payload;
using protocol::WarpPayload;

/// One clock domain and the calls to run it. One per TEST_CASE. All links take the standard path and are held against
/// the rules of the base protocol, unless a test is about the other way.
struct Bench {
  explicit Bench(protocol::Links links = protocol::Links::kChecked) { clock.set_links(links); }

  base::ClockDomain clock{"clock", sc_core::sc_time(2.5, sc_core::SC_NS)};

  void add(base::Component& component) { clock.add(component); }
  /// Runs until nothing is left to do (or `limit` cycles have passed).
  void run(Cycle limit = 1'000'000) { run_for(limit); }
  /// Runs `cycles` cycles.
  void run_for(Cycle cycles) {
    end_ += cycles;
    clock.run_until(end_);
  }

 private:
  Cycle end_ = 0;
};

/// Sends given payloads at given cycles through one initiator socket and notes when each was accepted and
/// answered. A request that finds the socket busy waits, later ones behind it.
class TrafficPlayer : public base::Component, private protocol::ResponseHandler {
 public:
  /// Plans `payload` to be sent while ticking in cycle `cycle`; calls in order of their cycle.
  void at(Cycle cycle, Payload& payload);
  /// Cycle in which the response came; kNever when it has not.
  Cycle done(const Payload& payload) const;
  /// Cycle in which the target accepted the request; kNever when it has not.
  Cycle accepted(const Payload& payload) const;
  std::size_t outstanding() const { return outstanding_; }
  /// From now on words are read without a request where the target gives them.
  void read_words() { reads_words_ = true; }
  /// How many were.
  std::size_t words() const { return words_; }

  /// Payloads that live as long as the agent.
  LinePayload& line(tlm::tlm_command command, std::uint64_t address, unsigned bytes);
  WarpPayload& warp(tlm::tlm_command command, std::uint32_t mask, const std::vector<std::uint32_t>& addresses,
                    unsigned bytes = 4);

  void tick() override;
  void reset() override;
  bool idle() const override { return outstanding_ == 0 && next_ == plan_.size(); }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 protected:
  TrafficPlayer(const sc_core::sc_module_name& name, const base::ClockDomain& clock,
                protocol::InitiatorPort& port)
      : Component(name, clock), port_(port) {}
  ~TrafficPlayer() override = default;
  void attach() { port_.attach(*this); }

 private:
  struct Planned {
    Cycle cycle;
    Payload* payload;
  };
  void on_response(unsigned port, Payload& payload) override;
  void on_ready(unsigned port) override;
  bool read_word(Payload& payload);

  protocol::InitiatorPort& port_;
  std::vector<Planned> plan_;
  std::size_t next_ = 0;
  std::size_t outstanding_ = 0;
  bool reads_words_ = false;
  std::size_t words_ = 0;
  Payload* pending_ = nullptr;  // sent but not yet accepted
  std::unordered_map<const Payload*, Cycle> done_, accepted_;
  protocol::LinePool lines_;
  protocol::WarpPool warps_;
  base::StatGroup stats_;
};

template <class Socket>
class TrafficAgentOf final : public TrafficPlayer {
 public:
  TrafficAgentOf(const sc_core::sc_module_name& name, const base::ClockDomain& clock)
      : TrafficPlayer(name, clock, socket) {
    attach();
  }
  Socket socket{"socket"};
};
using TrafficAgent = TrafficAgentOf<protocol::InitiatorSocket>;
/// Loads, stores and atomics of warps.
using WarpTrafficAgent = TrafficAgentOf<protocol::WarpInitiatorSocket>;

/// A memory with a fixed latency and room for `capacity` requests at a time; one request per cycle.
/// Serves LinePayload requests (with byte enables) from sparse storage of its own.
class MemoryPlayer : public base::Component, private protocol::RequestHandler {
 public:
  std::uint8_t& byte(std::uint64_t address) { return bytes_[address]; }
  std::uint32_t word(std::uint64_t address);
  void set_word(std::uint64_t address, std::uint32_t value);
  /// Requests in order of arrival: command, address, length, cycle.
  struct Seen {
    tlm::tlm_command command;
    std::uint64_t address;
    unsigned bytes;
    Cycle cycle;
    bool timing_only;
  };
  const std::vector<Seen>& seen() const { return seen_; }

  void tick() override;
  void reset() override { queue_.clear(); }
  bool idle() const override { return queue_.empty(); }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 protected:
  MemoryPlayer(const sc_core::sc_module_name& name, const base::ClockDomain& clock,
               protocol::TargetPort& port, Cycle latency, std::size_t capacity);
  ~MemoryPlayer() override = default;
  void attach() { port_.attach(*this); }

 private:
  struct Item {
    Payload* payload;
    Cycle due;
  };
  bool on_request(unsigned port, Payload& payload) override;
  unsigned on_debug(unsigned port, Payload& payload) override;
  void move(Payload& payload);

  protocol::TargetPort& port_;
  const Cycle latency_;
  base::BoundedQueue<Item> queue_;
  std::unordered_map<std::uint64_t, std::uint8_t> bytes_;
  std::vector<Seen> seen_;
  base::StatGroup stats_;
};

template <class Socket>
class MemoryStubOf final : public MemoryPlayer {
 public:
  MemoryStubOf(const sc_core::sc_module_name& name, const base::ClockDomain& clock, Cycle latency,
               std::size_t capacity)
      : MemoryPlayer(name, clock, socket, latency, capacity) {
    attach();
  }
  Socket socket{"socket"};
};
using MemoryStub = MemoryStubOf<protocol::TargetSocket>;
/// The accumulator of a matrix unit.
using AccumulatorStub = MemoryStubOf<protocol::AccumulatorTargetSocket>;

/// Collects guest faults; bind a block's `fault` port to it.
class FaultSink final : public sc_core::sc_module, public protocol::FaultIf {
 public:
  explicit FaultSink(const sc_core::sc_module_name& name) : sc_module(name) {}
  void report(const protocol::GuestFault& fault) override { faults.push_back(fault); }
  std::vector<protocol::GuestFault> faults;
};

}  // namespace spica::testbench
