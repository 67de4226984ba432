// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "models/interconnect/peripheral_bus.h"
#include "testbenches/support/accounts.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;

namespace {

constexpr Cycle kLatency = 3;
constexpr std::uint64_t kConsole = 0xFF010000, kUnit = 0xFF013000;

struct PeripheralBench {
  testbench::Bench bench;
  interconnect::PeripheralBusParams params;
  testbench::MemoryStub console, unit;
  interconnect::PeripheralBus dut;
  std::vector<std::unique_ptr<testbench::TrafficAgent>> cores;

  static protocol::AddressMap map() {
    protocol::AddressMap map;
    map.add({"shared", 0xFF000000, 0x10000, protocol::Route::kShared, 0});
    map.add({"console", kConsole, 0x800, protocol::Route::kPeripheral, 0});
    map.add({"unit", kUnit, 0x100, protocol::Route::kPeripheral, 1});
    return map;
  }
  explicit PeripheralBench(std::size_t capacity = 16)
      : console("console", bench.clock, kLatency, capacity),
        unit("unit", bench.clock, kLatency, capacity),
        dut("dut", params, bench.clock, map()) {
    dut.out[0].bind(console.socket);
    dut.out[1].bind(unit.socket);
    bench.add(console);
    bench.add(unit);
    bench.add(dut);
    for (unsigned i = 0; i < params.masters; ++i) {
      cores.push_back(
          std::make_unique<testbench::TrafficAgent>(("core_" + std::to_string(i)).c_str(), bench.clock));
      cores[i]->socket.bind(dut.in[i]);
      bench.add(*cores[i]);
    }
  }
  Cycle round_trip() const { return params.request_latency + kLatency + params.response_latency; }
};

}  // namespace

TEST_CASE("an access takes both latencies and goes where the map says") {
  PeripheralBench f;
  f.unit.set_word(kUnit + 8, 42);
  auto& read = f.cores[1]->line(tlm::TLM_READ_COMMAND, kUnit + 8, 4);
  f.cores[1]->at(10, read);
  f.bench.run();
  CHECK(f.cores[1]->done(read) == 10 + f.round_trip());
  CHECK(read.data[0] == 42);
  CHECK(f.console.seen().empty());
  CHECK(f.dut.idle());
  CHECK(f.bench.clock.asleep());
}

TEST_CASE("all cores together get one request per cycle, in turn") {
  PeripheralBench f;
  std::vector<protocol::LinePayload*> writes;
  for (unsigned i = 0; i < 12; ++i) {
    writes.push_back(&f.cores[i % 4]->line(tlm::TLM_WRITE_COMMAND, kConsole + 4 * i, 4));
    f.cores[i % 4]->at(0, *writes.back());
  }
  f.bench.run();
  for (unsigned i = 0; i < 12; ++i) {
    CHECK(f.console.seen()[i].address == kConsole + 4 * i);
    CHECK(f.cores[i % 4]->done(*writes[i]) == f.round_trip() + i);
  }
}

TEST_CASE("what no peripheral answers is an address error") {
  PeripheralBench f;
  auto& gap = f.cores[0]->line(tlm::TLM_READ_COMMAND, kUnit + 0x100, 4);
  auto& shared = f.cores[0]->line(tlm::TLM_READ_COMMAND, 0xFF000000, 4);
  auto& good = f.cores[0]->line(tlm::TLM_READ_COMMAND, kConsole, 4);
  for (auto* payload : {&gap, &shared, &good}) f.cores[0]->at(0, *payload);
  f.bench.run();
  CHECK(gap.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(shared.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(good.is_response_ok());
  CHECK(f.dut.stats().address_errors.value() == 2);
}

TEST_CASE("a slow peripheral loses nothing") {
  PeripheralBench f(1);
  std::vector<protocol::LinePayload*> writes;
  for (unsigned i = 0; i < 40; ++i) {
    writes.push_back(&f.cores[i % 4]->line(tlm::TLM_WRITE_COMMAND, kConsole + i, 1));
    f.cores[i % 4]->at(0, *writes.back());
  }
  f.bench.run();
  for (unsigned i = 0; i < 40; ++i) CHECK(f.cores[i % 4]->done(*writes[i]) == f.round_trip() + i * kLatency);
  CHECK(f.dut.idle());
  f.dut.settle_stats();
  CHECK(testbench::accounts_add_up(f.dut.stats(), f.dut.now()));
  const auto charged = [&](const char* reason) {
    return testbench::charged(f.dut.stats(), "requests", reason);
  };
  CHECK(charged("moving") + charged("channel_busy") == 40);
  CHECK(charged("peripheral_held") > 30 * (kLatency - 1));
}

TEST_CASE("debug access passes, reset drops what is in flight") {
  PeripheralBench f;
  f.unit.set_word(kUnit, 7);
  auto& debug = f.cores[0]->line(tlm::TLM_READ_COMMAND, kUnit, 4);
  CHECK(f.cores[0]->socket->transport_dbg(debug) == 4);
  CHECK(debug.data[0] == 7);
  CHECK(f.dut.stats().reads.value() == 0);
  for (unsigned i = 0; i < 8; ++i)
    f.cores[0]->at(0, f.cores[0]->line(tlm::TLM_WRITE_COMMAND, kConsole + i, 1));
  f.bench.run_for(4);
  CHECK_FALSE(f.dut.idle());
  f.console.reset();
  f.dut.reset();
  f.cores[0]->reset();
  CHECK(f.dut.idle());
  f.bench.run_for(50);
  auto& read = f.cores[0]->line(tlm::TLM_READ_COMMAND, kUnit, 4);
  f.cores[0]->at(100, read);
  f.bench.run();
  CHECK(f.cores[0]->done(read) == 100 + f.round_trip());
}
