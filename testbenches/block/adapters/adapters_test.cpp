// SPDX-License-Identifier: Apache-2.0
// What can be put between two sockets, or between our protocols and those of others.
#include <sstream>

#include "models/adapters/protocol_checker.h"
#include "models/adapters/timing_bridges.h"
#include "models/adapters/transaction_monitor.h"
#include "models/adapters/warp_to_base.h"
#include "models/adapters/width_bridge.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/strangers.h"

using namespace spica;
using sc_core::SC_NS;
using sc_core::sc_time;
using stranger::Memory;
using testbench::Cycle;

namespace {

sc_time ns(double n) { return {n, SC_NS}; }

/// Knows b_transport only.
struct BlockingMemory final : sc_core::sc_module, tlm::tlm_fw_transport_if<>, stranger::Bytes {
  explicit BlockingMemory(const sc_core::sc_module_name& name) : sc_module(name) { in.bind(*this); }
  tlm::tlm_sync_enum nb_transport_fw(stranger::Payload&, tlm::tlm_phase&, sc_time&) override {
    SC_REPORT_ERROR("memory", "nb_transport is not implemented");
    return tlm::TLM_COMPLETED;
  }
  void b_transport(stranger::Payload& payload, sc_time& delay) override {
    sc_core::wait(delay + ns(10));
    delay = ns(5);
    access(payload);
  }
  unsigned transport_dbg(stranger::Payload&) override { return 0; }
  bool get_direct_mem_ptr(stranger::Payload&, tlm::tlm_dmi&) override { return false; }
  tlm::tlm_target_socket<> in{"in"};
};

/// A bus of 256 bit.
struct WideMemory final : sc_core::sc_module, stranger::Bytes {
  explicit WideMemory(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &WideMemory::serve);
  }
  void serve(stranger::Payload& payload, sc_time& delay) {
    delay += ns(10);
    access(payload);
  }
  tlm_utils::simple_target_socket<WideMemory, 256> in{"in"};
};

}  // namespace

TEST_CASE("a checker between two sockets changes no cycle and finds nothing wrong") {
  testbench::Bench bench;
  testbench::MemoryStub plain("plain", bench.clock, 5, 2), checked("checked", bench.clock, 5, 2);
  testbench::TrafficAgent one("one", bench.clock), other("other", bench.clock);
  std::vector<std::string> findings;
  adapters::ProtocolChecker<> checker("checker", [&](const std::string& text) { findings.push_back(text); });
  one.socket.bind(plain.socket);
  other.socket.bind(checker.in);
  checker.out.bind(checked.socket);
  for (base::Component* block : std::initializer_list<base::Component*>{&plain, &checked, &one, &other})
    bench.add(*block);
  std::vector<std::pair<Cycle, Cycle>> done;
  std::vector<std::pair<protocol::LinePayload*, protocol::LinePayload*>> pairs;
  for (unsigned i = 0; i < 20; ++i) {
    pairs.emplace_back(&one.line(tlm::TLM_READ_COMMAND, 4 * i, 4),
                       &other.line(tlm::TLM_READ_COMMAND, 4 * i, 4));
    one.at(10 + i, *pairs.back().first);
    other.at(10 + i, *pairs.back().second);
  }
  bench.run();
  for (const auto& [left, right] : pairs) {
    CHECK(one.done(*left) != base::kNever);
    CHECK(one.done(*left) == other.done(*right));
    CHECK(one.accepted(*left) == other.accepted(*right));
  }
  CHECK(findings == std::vector<std::string>{});
  CHECK(checker.under_way() == 0);
}

TEST_CASE("a checker names the rule that a module breaks") {
  testbench::Bench bench(protocol::Links::kDirect);  // else the socket finds it, too
  struct Hasty final : sc_core::sc_module, tlm::tlm_fw_transport_if<>, stranger::Bytes {
    explicit Hasty(const sc_core::sc_module_name& name) : sc_module(name) { in.bind(*this); }
    tlm::tlm_sync_enum nb_transport_fw(stranger::Payload&, tlm::tlm_phase& phase, sc_time&) override {
      return phase == tlm::BEGIN_REQ ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;  // without a response status
    }
    void b_transport(stranger::Payload&, sc_time&) override {}
    unsigned transport_dbg(stranger::Payload&) override { return 0; }
    bool get_direct_mem_ptr(stranger::Payload&, tlm::tlm_dmi&) override { return false; }
    tlm::tlm_target_socket<> in{"in"};
  } memory("memory");
  std::vector<std::string> findings;
  adapters::ProtocolChecker<> checker("checker", [&](const std::string& text) { findings.push_back(text); });
  testbench::TrafficAgent agent("agent", bench.clock);
  agent.socket.bind(checker.in);
  checker.out.bind(memory.in);
  bench.add(agent);
  agent.at(10, agent.line(tlm::TLM_READ_COMMAND, 64, 4));
  CHECK_THROWS_WITH(bench.run(),
                    Catch::Contains("agent.socket: the module behind it answers without a response status"));
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0], Catch::Contains("a response comes with TLM_INCOMPLETE_RESPONSE") &&
                              Catch::Contains("0x40") && Catch::Contains("4 bytes"));
}

TEST_CASE("a monitor tells of each transaction when its response begins") {
  testbench::Bench bench;
  testbench::MemoryStub memory("memory", bench.clock, 5, 8);
  testbench::TrafficAgent agent("agent", bench.clock);
  std::ostringstream lines;
  adapters::TransactionMonitor<> monitor("monitor",
                                         [&](const adapters::Transaction& t) { lines << t << '\n'; });
  agent.socket.bind(monitor.in);
  monitor.out.bind(memory.socket);
  bench.add(memory);
  bench.add(agent);
  agent.at(10, agent.line(tlm::TLM_WRITE_COMMAND, 64, 32));
  agent.at(20, agent.line(tlm::TLM_READ_COMMAND, 128, 4));
  bench.run();
  CHECK(std::string(adapters::TransactionMonitor<>::header()) ==
        "begin_ns,end_ns,command,address,bytes,status");
  CHECK(lines.str() == "25,37.5,write,64,32,ok\n50,62.5,read,128,4,ok\n");
}

TEST_CASE("a bridge of widths connects a socket of 32 bit to a bus of 256") {
  testbench::Bench bench;
  WideMemory memory("memory");
  adapters::WidthBridge<32, 256> bridge("bridge");
  testbench::TrafficAgent agent("agent", bench.clock);
  agent.socket.bind(bridge.in);
  bridge.out.bind(memory.in);
  bench.add(agent);
  auto& write = agent.line(tlm::TLM_WRITE_COMMAND, 64, 32);
  for (unsigned i = 0; i < 32; ++i) write.data[i] = static_cast<unsigned char>(i + 1);
  agent.at(10, write);
  bench.run();
  CHECK(agent.done(write) == 14);
  for (unsigned i = 0; i < 32; ++i) CHECK(memory.bytes[64 + i] == i + 1);
}

TEST_CASE("loads and stores of warps reach a foreign memory lane by lane") {
  testbench::Bench bench;
  Memory memory("memory", Memory::Style::kFourPhases, ns(10));
  adapters::WarpToBase bridge("bridge", bench.clock);
  testbench::WarpTrafficAgent core("core", bench.clock);
  core.socket.bind(bridge.in);
  bridge.out.bind(memory.in);
  bench.add(bridge);
  bench.add(core);
  auto& store = core.warp(tlm::TLM_WRITE_COMMAND, 0b1011, {0x100, 0x200, 0, 0x300}, 2);
  store.access.data = {0x1111, 0x2222, 0x3333, 0x4444};
  core.at(10, store);
  auto& load = core.warp(tlm::TLM_READ_COMMAND, 0b1001, {0x100, 0, 0, 0x300});
  core.at(11, load);
  auto& atomic = core.warp(tlm::TLM_READ_COMMAND, 0b1, {0x100});
  atomic.info.atomic = protocol::Atomic::kAdd;
  core.at(12, atomic);
  bench.run();
  CHECK(store.is_response_ok());
  CHECK(memory.bytes[0x101] == 0x11);
  CHECK(memory.bytes[0x102] == 0);  // two bytes per lane
  CHECK(memory.bytes[0x200] == 0x22);
  CHECK(load.access.data[0] == 0x1111);
  CHECK(load.access.data[3] == 0x4444);
  CHECK(atomic.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(core.done(store) == 11 + 2 * 2 + 4);  // a lane every two cycles, and the latency of the last
}

TEST_CASE("a memory that knows b_transport only serves requests one after the other") {
  testbench::Bench bench;
  BlockingMemory memory("memory");
  adapters::ToLooselyTimed bridge("bridge");
  testbench::TrafficAgent agent("agent", bench.clock);
  agent.socket.bind(bridge.in);
  bridge.out.bind(memory.in);
  bench.add(agent);
  auto& write = agent.line(tlm::TLM_WRITE_COMMAND, 64, 4);
  write.data[0] = 5;
  auto& read = agent.line(tlm::TLM_READ_COMMAND, 64, 4);
  agent.at(10, write);
  agent.at(11, read);
  bench.run();
  CHECK(agent.done(write) == 16);  // 15 ns
  CHECK(agent.done(read) == 22);
  CHECK(read.data[0] == 5);
}

TEST_CASE("a processor that calls b_transport reaches a memory that knows nb_transport only") {
  testbench::Bench bench;
  const Memory::Style style = GENERATE(Memory::Style::kFourPhases);
  Memory memory("memory", style, ns(10));
  adapters::ToApproximatelyTimed bridge("bridge");
  stranger::Processor processor("processor", 64, ns(100), 3);
  processor.out.bind(bridge.in);
  bridge.out.bind(memory.in);
  sc_core::sc_start(10, sc_core::SC_US);
  CHECK(processor.read == std::vector<std::uint32_t>{100, 101, 102});
  CHECK(processor.ended == ns(3 * (100 + 2 * 10)));
}
