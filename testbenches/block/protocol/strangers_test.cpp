// SPDX-License-Identifier: Apache-2.0
// Modules of other people at our sockets: right data, right time, whatever way through the base protocol they take.
#include "testbenches/support/strangers.h"

#include <algorithm>
#include <type_traits>

#include "models/cache/cache.h"
#include "models/main_memory/main_memory.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using sc_core::SC_NS;
using sc_core::sc_time;
using stranger::Memory;
using testbench::Cycle;

namespace {

sc_time ns(double n) { return {n, SC_NS}; }

/// Reads of 32 bytes at 0, 64, 128, ..., sent in cycles 10, 11, ...
struct Reads {
  explicit Reads(testbench::Bench& b) : bench(b) {}
  template <class Target>
  void run(Target& in) {
    agent.socket.bind(in);
    bench.add(agent);
    for (unsigned i = 0; i < 4; ++i) {
      payloads.push_back(&agent.line(tlm::TLM_READ_COMMAND, 64 * i, 32));
      agent.at(10 + i, *payloads.back());
    }
    bench.run();
  }
  std::vector<Cycle> done() const {
    std::vector<Cycle> cycles;
    for (const auto* payload : payloads) cycles.push_back(agent.done(*payload));
    return cycles;
  }
  testbench::Bench& bench;
  testbench::TrafficAgent agent{"agent", bench.clock};
  std::vector<protocol::LinePayload*> payloads;
};

std::vector<Cycle> read_from(Memory::Style style) {
  testbench::Bench bench;
  Memory memory("memory", style, ns(10));  // 4 cycles
  for (unsigned i = 0; i < sizeof memory.bytes; ++i) memory.bytes[i] = static_cast<unsigned char>(i / 64);
  Reads reads(bench);
  reads.run(memory.in);
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(reads.payloads[i]->is_response_ok());
    CHECK(reads.payloads[i]->data[0] == i);
  }
  CHECK(reads.agent.outstanding() == 0);
  return reads.done();
}

main_memory::Params quiet() {
  main_memory::Params p;
  p.dram.refresh_ns = 0;
  p.dram.accesses_per_row = 100;
  return p;
}
constexpr std::uint64_t kBase = 0x80000000;

template <class From, class To, class = void>
struct Binds : std::false_type {};
template <class From, class To>
struct Binds<From, To, std::void_t<decltype(std::declval<From&>().bind(std::declval<To&>()))>>
    : std::true_type {};

}  // namespace

TEST_CASE("only sockets of the same protocol can be bound") {
  using namespace protocol;
  using Standard = tlm::tlm_target_socket<>;
  STATIC_REQUIRE(Binds<InitiatorSocket, TargetSocket>::value);
  STATIC_REQUIRE(Binds<InitiatorSocket, Standard>::value);
  STATIC_REQUIRE(Binds<tlm::tlm_initiator_socket<>, TargetSocket>::value);
  STATIC_REQUIRE(Binds<WarpInitiatorSocket, WarpTargetSocket>::value);
  STATIC_REQUIRE_FALSE(Binds<WarpInitiatorSocket, TargetSocket>::value);
  STATIC_REQUIRE_FALSE(Binds<WarpInitiatorSocket, Standard>::value);
  STATIC_REQUIRE_FALSE(Binds<tlm::tlm_initiator_socket<>, WarpTargetSocket>::value);
  STATIC_REQUIRE_FALSE(Binds<InitiatorSocket, WarpTargetSocket>::value);
  STATIC_REQUIRE_FALSE(Binds<MoveInitiatorSocket, AccumulatorTargetSocket>::value);
  STATIC_REQUIRE_FALSE(Binds<MoveInitiatorSocket, TargetSocket>::value);
}

// Early completion ends request and response at the annotated time: the next request comes after it.
TEST_CASE("a memory that completes at once with its latency annotated") {
  CHECK(read_from(Memory::Style::kCompletes) == std::vector<Cycle>{14, 18, 22, 26});
}

TEST_CASE("a memory that answers the request with BEGIN_RESP") {
  CHECK(read_from(Memory::Style::kResponds) == std::vector<Cycle>{14, 18, 22, 26});
}

TEST_CASE("a memory with all four phases holds up the next request until END_REQ") {
  CHECK(read_from(Memory::Style::kFourPhases) == std::vector<Cycle>{14, 16, 18, 20});
}

TEST_CASE("a memory whose BEGIN_RESP implies END_REQ") {
  CHECK(read_from(Memory::Style::kNoEndOfRequest) == std::vector<Cycle>{14, 18, 22, 26});
}

TEST_CASE("a memory that answers out of order") {
  CHECK(read_from(Memory::Style::kBackwards) == std::vector<Cycle>{19, 15, 21, 17});
}

TEST_CASE("a loosely timed memory at simple_target_socket takes its latency") {
  testbench::Bench bench;
  stranger::LooseMemory memory("memory", ns(10));
  for (unsigned i = 0; i < 256; ++i) memory.bytes[i] = static_cast<unsigned char>(i / 64);
  Reads reads(bench);
  reads.run(memory.in);
  CHECK(reads.done() == std::vector<Cycle>{14, 18, 22, 26});  // one at a time
  for (unsigned i = 0; i < 4; ++i) CHECK(reads.payloads[i]->data[0] == i);
}

TEST_CASE("behind a cache a foreign memory keeps what was written") {
  for (const auto style : {Memory::Style::kCompletes}) {
    testbench::Bench bench;
    Memory memory("memory", style, ns(10));
    cache::Params params = cache::Params::l1_data(8);
    params.ports = 1;
    cache::Cache cache("cache", params, bench.clock);
    testbench::TrafficAgent agent("agent", bench.clock);
    cache.out.bind(memory.in);
    agent.socket.bind(cache.in[0]);
    bench.add(cache);
    bench.add(agent);
    for (unsigned i = 0; i < 64; ++i) {
      auto& write = agent.line(tlm::TLM_WRITE_COMMAND, 64 + 4 * i, 4);
      std::memcpy(write.data.data(), &i, 4);
      agent.at(10 * i, write);
    }
    auto& read = agent.line(tlm::TLM_READ_COMMAND, 64 + 40, 8);
    agent.at(700, read);
    bench.run();
    CHECK(agent.outstanding() == 0);
    for (unsigned i = 0; i < 64; ++i) CHECK(memory.bytes[64 + 4 * i] == i);
    CHECK(read.data[0] == 10);
    CHECK(read.data[4] == 11);
    CHECK(memory.writes >= 64);
  }
}

TEST_CASE("a memory that a cache cannot move data through is named") {
  testbench::Bench bench;
  struct Closed final : sc_core::sc_module {
    explicit Closed(const sc_core::sc_module_name& name) : sc_module(name) {
      in.register_b_transport(this, &Closed::serve);
    }
    void serve(stranger::Payload& payload, sc_time&) { payload.set_response_status(tlm::TLM_OK_RESPONSE); }
    tlm_utils::simple_target_socket<Closed> in{"in"};
  } memory("memory");
  cache::Params params = cache::Params::l1_data(8);
  params.ports = 1;
  cache::Cache cache("cache", params, bench.clock);
  testbench::TrafficAgent agent("agent", bench.clock);
  cache.out.bind(memory.in);
  agent.socket.bind(cache.in[0]);
  bench.add(cache);
  bench.add(agent);
  agent.at(10, agent.line(tlm::TLM_READ_COMMAND, 64, 4));
  CHECK_THROWS_WITH(bench.run(), Catch::Contains("cache.out") && Catch::Contains("transport_dbg"));
}

TEST_CASE("whenever a request comes from outside, DRAM takes the same time for it") {
  testbench::Bench bench;
  main_memory::MainMemory memory("memory", quiet(), bench.clock);
  bench.add(memory);
  std::vector<stranger::Reader::Request> plan(5);
  for (unsigned i = 0; i < plan.size(); ++i) {
    plan[i].at = ns(2000.0 * (i + 1));
    plan[i].address = kBase;  // the row stays open
  }
  plan[3].annotated = ns(500);
  plan[4].at += ns(1);  // inside a cycle: it counts from the next one
  stranger::Reader reader("reader", plan);
  reader.out.bind(memory.in);
  sc_core::sc_start(20, sc_core::SC_US);
  const auto latency = [&](unsigned i) { return reader.requests[i].answered - reader.requests[i].at; };
  CHECK(reader.status == tlm::TLM_OK_RESPONSE);
  CHECK(latency(1) > ns(20));
  CHECK(latency(2) == latency(1));
  CHECK(latency(3) == latency(1) + ns(500));
  CHECK(latency(4) == latency(1) + ns(1.5));
}

TEST_CASE("an initiator that is slow to end a response gets the next one afterwards") {
  testbench::Bench bench;
  main_memory::MainMemory memory("memory", quiet(), bench.clock);
  bench.add(memory);
  std::vector<stranger::Reader::Request> plan(4);
  for (unsigned i = 0; i < plan.size(); ++i) plan[i].address = kBase + 32 * i;
  stranger::Reader reader("reader", plan, ns(100));
  reader.out.bind(memory.in);
  sc_core::sc_start(20, sc_core::SC_US);
  std::vector<sc_time> answered;
  for (const auto& request : reader.requests) answered.push_back(request.answered);
  std::sort(answered.begin(), answered.end());
  for (unsigned i = 1; i < answered.size(); ++i) {
    CHECK(answered[i] >= answered[i - 1] + ns(100));
    CHECK(answered[i] <= answered[i - 1] + ns(105));
  }
}

TEST_CASE("a processor with a quantum reads what it has written, in the time that DRAM takes") {
  testbench::Bench bench;
  main_memory::MainMemory memory("memory", quiet(), bench.clock);
  bench.add(memory);
  stranger::Processor processor("processor", kBase + 64, ns(100), 10);
  processor.out.bind(memory.in);
  sc_core::sc_start(100, sc_core::SC_US);
  REQUIRE(processor.read.size() == 10);
  for (unsigned i = 0; i < 10; ++i) CHECK(processor.read[i] == 100 + i);
  CHECK(processor.errors == 0);
  CHECK(processor.ended > ns(10 * (100 + 2 * 20)));
  CHECK(memory.stats().reads.value() == 10);
  CHECK(memory.stats().writes.value() == 10);
}

TEST_CASE("a request of a shape that no block takes has an error response") {
  testbench::Bench bench;
  main_memory::MainMemory memory("memory", quiet(), bench.clock);
  bench.add(memory);
  struct Odd final : sc_core::sc_module {
    explicit Odd(const sc_core::sc_module_name& name) : sc_module(name) {
      SC_HAS_PROCESS(Odd);
      SC_THREAD(run);
    }
    void run() {
      stranger::Payload payload;
      payload.set_read();
      payload.set_address(kBase);
      payload.set_data_ptr(data);
      payload.set_data_length(32);
      payload.set_streaming_width(4);  // a fifo
      sc_time delay;
      out->b_transport(payload, delay);
      status = payload.get_response_status();
    }
    tlm_utils::simple_initiator_socket<Odd> out{"out"};
    unsigned char data[32] = {};
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  } odd("odd");
  odd.out.bind(memory.in);
  sc_core::sc_start(1, sc_core::SC_US);
  CHECK(odd.status == tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST_CASE("blocks of two clock domains talk to each other in the time of both") {
  testbench::Bench bench;  // 400 MHz
  base::ClockDomain slow("slow", ns(10));
  testbench::MemoryStub memory("memory", slow, 3, 8);
  slow.add(memory);
  memory.set_word(0, 7);
  testbench::TrafficAgent agent("agent", bench.clock);
  agent.socket.bind(memory.socket);
  bench.add(agent);
  std::vector<protocol::LinePayload*> payloads;
  for (const Cycle sent : {8, 13, 200}) {
    payloads.push_back(&agent.line(tlm::TLM_READ_COMMAND, 0, 4));
    agent.at(sent, *payloads.back());
  }
  bench.run();
  CHECK(agent.done(*payloads[0]) == 12 + 12 + 1);  // at an edge of both: each sees the other at its next one
  CHECK(agent.done(*payloads[1]) == 16 + 12 + 1);
  CHECK(agent.done(*payloads[2]) == 204 + 12 + 1);
  CHECK(payloads[0]->data[0] == 7);
}

TEST_CASE("a block without a clock is named with the call that is missing") {
  testbench::Bench bench;
  main_memory::MainMemory memory("forgotten", quiet(), bench.clock);
  testbench::TrafficAgent agent("agent", bench.clock);
  agent.socket.bind(memory.in);
  bench.add(agent);
  agent.at(10, agent.line(tlm::TLM_READ_COMMAND, kBase, 32));
  CHECK_THROWS_WITH(bench.run(), Catch::Contains("forgotten: belongs to no clock domain") &&
                                     Catch::Contains("ClockDomain::add()"));
}
