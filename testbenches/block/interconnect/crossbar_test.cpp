// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <sstream>

#include "models/interconnect/crossbar.h"
#include "testbenches/support/accounts.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;

namespace {

constexpr Cycle kTargetLatency = 20;

struct CrossbarBench {
  testbench::Bench bench;
  interconnect::CrossbarParams params;
  std::vector<std::unique_ptr<testbench::MemoryStub>> targets;
  interconnect::Crossbar dut;
  std::vector<std::unique_ptr<testbench::TrafficAgent>> masters;

  static interconnect::CrossbarParams small(unsigned masters, unsigned targets = 1) {
    interconnect::CrossbarParams p;
    p.masters = masters;
    p.targets = targets;
    return p;
  }
  explicit CrossbarBench(const interconnect::CrossbarParams& p, std::size_t capacity = 64,
                         const protocol::AddressMap& map = {})
      : params(p), dut("dut", p, bench.clock, map) {
    for (unsigned i = 0; i < p.targets; ++i) {
      targets.push_back(std::make_unique<testbench::MemoryStub>(("target_" + std::to_string(i)).c_str(),
                                                                bench.clock, kTargetLatency, capacity));
      dut.out[i].bind(targets[i]->socket);
      bench.add(*targets[i]);
    }
    bench.add(dut);
    for (unsigned i = 0; i < p.masters; ++i) {
      masters.push_back(
          std::make_unique<testbench::TrafficAgent>(("master_" + std::to_string(i)).c_str(), bench.clock));
      masters[i]->socket.bind(dut.in[i]);
      bench.add(*masters[i]);
    }
  }
  Cycle time() const { return static_cast<Cycle>(sc_core::sc_time_stamp() / bench.clock.period()); }
  protocol::LinePayload& read(unsigned master, std::uint64_t address, unsigned bytes) {
    return masters[master]->line(tlm::TLM_READ_COMMAND, address, bytes);
  }
  protocol::LinePayload& write(unsigned master, std::uint64_t address, unsigned bytes) {
    return masters[master]->line(tlm::TLM_WRITE_COMMAND, address, bytes);
  }
  Cycle done(unsigned master, const protocol::Payload& payload) const {
    return masters[master]->done(payload);
  }
  /// Cycles of a reason so far.
  std::uint64_t charged(const char* account, const char* reason) {
    dut.settle_stats();
    CHECK(testbench::accounts_add_up(dut.stats(), dut.now()));
    return testbench::charged(dut.stats(), account, reason);
  }
  /// Request of one beat and response of `beats` beats on an idle bus.
  Cycle round_trip(Cycle beats) const {
    return params.request_latency + kTargetLatency + params.response_latency + beats - 1;
  }
};

}  // namespace

TEST_CASE("a read takes both latencies and one cycle for each further beat of data") {
  CrossbarBench f(CrossbarBench::small(2));
  auto& one = f.read(0, 0x100, 32);
  auto& two = f.read(0, 0x200, 64);
  f.masters[0]->at(10, one);
  f.masters[0]->at(100, two);
  f.targets[0]->set_word(0x200, 77);
  f.bench.run();
  CHECK(f.targets[0]->seen()[0].cycle == 10 + f.params.request_latency);
  CHECK(f.done(0, one) == 10 + f.round_trip(1));
  CHECK(f.done(0, two) == 100 + f.round_trip(2));
  CHECK(two.data[0] == 77);
  CHECK(f.dut.idle());
  CHECK(f.bench.clock.asleep());
}

TEST_CASE("a write keeps the request channel for its beats, its answer is one beat") {
  CrossbarBench f(CrossbarBench::small(2));
  auto& write = f.write(0, 0x100, 64);
  auto& read = f.read(1, 0x200, 32);
  f.masters[0]->at(10, write);
  f.masters[1]->at(10, read);
  f.bench.run();
  CHECK(f.targets[0]->seen()[0].cycle == 10 + f.params.request_latency + 1);
  CHECK(f.done(0, write) == 10 + f.round_trip(1) + 1);
  CHECK(f.targets[0]->seen()[1].cycle == 10 + f.params.request_latency + 2);
  CHECK(f.dut.stats().request_beats.value() == 3);
  CHECK(f.dut.stats().bytes_written.value() == 64);
}

TEST_CASE("masters are served in turn, and each keeps its order") {
  CrossbarBench f(CrossbarBench::small(3));
  for (unsigned i = 0; i < 10; ++i)
    for (unsigned master = 0; master < 3; ++master)
      f.masters[master]->at(0, f.read(master, 0x1000 * (master + 1) + 32 * i, 32));
  f.bench.run();
  const auto& seen = f.targets[0]->seen();
  REQUIRE(seen.size() == 30);
  for (unsigned i = 0; i < 30; ++i) {
    CHECK(seen[i].address == 0x1000 * (i % 3 + 1) + 32 * (i / 3));
    CHECK(seen[i].cycle == f.params.request_latency + i);
  }
}

TEST_CASE("reads of two beats fill the response channel") {
  CrossbarBench f(CrossbarBench::small(2));
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 40; ++i) {
    reads.push_back(&f.read(i % 2, 64 * i, 64));
    f.masters[i % 2]->at(0, *reads.back());
  }
  f.bench.run();
  for (unsigned i = 0; i < 40; ++i) CHECK(f.done(i % 2, *reads[i]) == f.round_trip(2) + 2 * i);
  CHECK(f.dut.stats().response_beats.value() == 80);
  // The last answer has nobody behind it; requests of one beat never wait for the channel of 40 cycles.
  CHECK(f.charged("responses", "moving") + f.charged("responses", "channel_busy") == 80);
  CHECK(f.charged("responses", "channel_busy") >= 76);
  CHECK(f.charged("requests", "moving") + f.charged("requests", "channel_busy") == 40);
  CHECK(f.charged("requests", "max_outstanding") + f.charged("requests", "target_held") == 0);
}

TEST_CASE("a target that takes one request at a time loses none of them") {
  CrossbarBench f(CrossbarBench::small(4), 1);
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 40; ++i) {
    reads.push_back(&f.read(i % 4, 64 * i, 32));
    f.masters[i % 4]->at(i / 4, *reads.back());
  }
  f.bench.run();
  CHECK(f.targets[0]->seen().size() == 40);
  for (unsigned i = 0; i < 40; ++i) CHECK(f.done(i % 4, *reads[i]) == f.round_trip(1) + i * kTargetLatency);
  CHECK(f.dut.idle());
  CHECK(f.charged("requests", "target_held") > 30 * (kTargetLatency - 1));
  CHECK(f.charged("requests", "max_outstanding") == 0);
}

TEST_CASE("no more requests are under way than allowed") {
  auto params = CrossbarBench::small(1);
  params.max_outstanding = 2;
  CrossbarBench f(params);
  for (unsigned i = 0; i < 6; ++i) f.masters[0]->at(0, f.read(0, 64 * i, 32));
  f.bench.run();
  const auto& seen = f.targets[0]->seen();
  REQUIRE(seen.size() == 6);
  for (unsigned i = 2; i < 6; ++i) CHECK(seen[i].cycle >= seen[i - 2].cycle + kTargetLatency);
  CHECK(f.masters[0]->outstanding() == 0);
  // Pairs, with a wait before each but the first.
  CHECK(f.charged("requests", "max_outstanding") >= 2 * (kTargetLatency - 2));
  CHECK(f.charged("requests", "moving") + f.charged("requests", "channel_busy") == 6);
  CHECK(f.charged("requests", "target_held") == 0);
}

TEST_CASE("the map routes, and an address of nobody is an error") {
  protocol::AddressMap map;
  map.add({"low", 0x0000, 0x1000, protocol::Route::kGlobal, 0});
  map.add({"high", 0x8000, 0x1000, protocol::Route::kGlobal, 1});
  CrossbarBench f(CrossbarBench::small(2, 2), 64, map);
  f.targets[1]->set_word(0x8000, 5);
  auto& low = f.read(0, 0x40, 4);
  auto& high = f.read(1, 0x8000, 4);
  auto& nobody = f.read(0, 0x4000, 4);
  f.masters[0]->at(0, low);
  f.masters[0]->at(0, nobody);
  f.masters[1]->at(0, high);
  f.bench.run();
  CHECK(f.targets[0]->seen().size() == 1);
  CHECK(f.targets[1]->seen().size() == 1);
  CHECK(f.done(0, low) == f.round_trip(1));
  CHECK(f.done(1, high) == f.round_trip(1));  // targets do not share channels
  CHECK(nobody.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(f.dut.stats().address_errors.value() == 1);
  auto& debug = f.read(0, 0x8000, 4);
  CHECK(f.masters[0]->socket->transport_dbg(debug) == 4);
  CHECK(debug.data[0] == 5);
  debug.set_address(0x4000);
  CHECK(f.masters[0]->socket->transport_dbg(debug) == 0);
}

TEST_CASE("reset in flight leaves a bus like a fresh one") {
  CrossbarBench f(CrossbarBench::small(2), 2);
  for (unsigned i = 0; i < 10; ++i) f.masters[i % 2]->at(0, f.write(i % 2, 64 * i, 64));
  f.bench.run_for(12);
  CHECK_FALSE(f.dut.idle());
  std::ostringstream state;
  f.dut.dump_state(state);
  CHECK_FALSE(state.str().empty());
  f.targets[0]->reset();
  f.targets[0]->socket.reset();
  f.dut.reset();
  for (auto& master : f.masters) master->reset();
  CHECK(f.dut.idle());
  f.bench.run_for(100);
  const Cycle start = f.time() + 1;
  auto& read = f.read(1, 0x100, 32);
  f.masters[1]->at(start, read);
  f.bench.run();
  CHECK(f.done(1, read) == start + f.round_trip(1));
}
