// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "models/coalescer/coalescer.h"
#include "testbenches/block/coalescer/port_memory.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;

namespace {

constexpr Cycle kLatency = 10;

struct Fixture {
  testbench::Bench bench;
  coalescer::Params params;
  testbench::PortMemory memory;
  coalescer::Coalescer dut;
  testbench::WarpTrafficAgent core;

  explicit Fixture(const coalescer::Params& p = {}, std::size_t capacity = 64)
      : params(p),
        memory("memory", bench.clock, p.lanes + 1, kLatency, capacity),
        dut("dut", p, bench.clock),
        core("core", bench.clock) {
    for (unsigned i = 0; i <= p.lanes; ++i) dut.out[i].bind(memory.in[i]);
    core.socket.bind(dut.in);
    bench.add(memory);
    bench.add(dut);
    bench.add(core);
  }
  Cycle time() const { return static_cast<Cycle>(sc_core::sc_time_stamp() / bench.clock.period()); }
  /// Answer of an access sent in cycle `sent` whose last request leaves `extra` cycles behind the
  /// first.
  Cycle answer(Cycle sent, Cycle extra) const {
    return sent + 1 + extra + kLatency + params.response_latency;
  }
  protocol::WarpPayload& load(const std::vector<std::uint32_t>& addresses, unsigned bytes = 4) {
    return core.warp(tlm::TLM_READ_COMMAND, (1u << addresses.size()) - 1, addresses, bytes);
  }
};

std::vector<std::uint32_t> row(std::uint32_t first, unsigned lanes = 8, std::uint32_t stride = 4) {
  std::vector<std::uint32_t> addresses;
  for (unsigned lane = 0; lane < lanes; ++lane) addresses.push_back(first + stride * lane);
  return addresses;
}

}  // namespace

TEST_CASE("eight consecutive words travel as one line and come back by lane") {
  Fixture f;
  for (unsigned i = 0; i < 8; ++i) f.memory.set_word(0x1000 + 4 * i, 100 + i);
  auto& access = f.load(row(0x1000));
  f.core.at(20, access);
  f.bench.run();
  REQUIRE(f.memory.seen.size() == 1);
  CHECK(f.memory.seen[0].port == 8);
  CHECK(f.memory.seen[0].cycle == 21);
  CHECK(f.memory.seen[0].address == 0x1000);
  CHECK(f.memory.seen[0].bytes == 32);
  CHECK(f.memory.seen[0].lanes == 0xFF);
  for (unsigned i = 0; i < 8; ++i) CHECK(access.access.data[i] == 100 + i);
  CHECK(f.core.done(access) == f.answer(20, 0));
  CHECK(access.is_response_ok());
  CHECK(f.dut.idle());
  CHECK(f.bench.clock.asleep());
}

TEST_CASE("groups leave one per cycle, then all single lanes in one cycle on their own ports") {
  Fixture f;
  auto& access = f.load({0x100, 0x200, 0x104, 0x300, 0x204, 0x400, 0x500, 0x600});
  f.core.at(0, access);
  f.bench.run();
  REQUIRE(f.memory.seen.size() == 6);
  CHECK(f.memory.seen[0].address == 0x100);
  CHECK(f.memory.seen[0].lanes == 0b00101);
  CHECK(f.memory.seen[0].cycle == 1);
  CHECK(f.memory.seen[1].address == 0x200);
  CHECK(f.memory.seen[1].cycle == 2);
  const unsigned singles[] = {3, 5, 6, 7};
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(f.memory.seen[2 + i].port == singles[i]);
    CHECK(f.memory.seen[2 + i].cycle == 3);
    CHECK(f.memory.seen[2 + i].bytes == 4);
  }
  CHECK(f.core.done(access) == f.answer(0, 2));
  CHECK(f.dut.stats().line_requests.value() == 2);
  CHECK(f.dut.stats().coalesced_lanes.value() == 4);
  CHECK(f.dut.stats().single_requests.value() == 4);
}

TEST_CASE("an access says how many bytes its cache had to fetch for all its requests") {
  Fixture f;
  f.memory.fetched = 32;
  auto& scattered = f.load({0x100, 0x200, 0x104, 0x300, 0x204, 0x400, 0x500, 0x600});
  auto& line = f.load(row(0x1000));
  line.access.fetched = 7;  // of an earlier access
  f.core.at(0, scattered);
  f.core.at(20, line);
  f.bench.run();
  CHECK(scattered.access.fetched == 6 * 32);
  CHECK(line.access.fetched == 32);
}

TEST_CASE("stores write exactly their bytes, and of lanes with the same bytes the highest wins") {
  Fixture f;
  for (unsigned i = 0; i < 8; ++i) f.memory.set_word(0x100 + 4 * i, 0xEEEEEEEE);
  auto& bytes = f.core.warp(tlm::TLM_WRITE_COMMAND, 0xF, {0x101, 0x103, 0x101, 0x200}, 1);
  for (unsigned lane = 0; lane < 4; ++lane) bytes.access.data[lane] = 0xFFFFFF00 | (lane + 1);
  auto& halves = f.core.warp(tlm::TLM_WRITE_COMMAND, 0x3, {0x106, 0x108}, 2);
  halves.access.data = {0x1234, 0x5678};
  f.core.at(0, bytes);
  f.core.at(1, halves);
  f.bench.run();
  CHECK(f.memory.word(0x100) == 0x02EE03EE);
  CHECK(f.memory.word(0x104) == 0x1234EEEE);
  CHECK(f.memory.word(0x108) == 0xEEEE5678);
  CHECK(f.memory.bytes[0x200] == 4);
  CHECK(f.memory.bytes.count(0x201) == 0);
}

TEST_CASE("narrow loads are extended with zeros") {
  Fixture f;
  f.memory.set_word(0x100, 0x89ABCDEF);
  auto& bytes = f.load({0x100, 0x103, 0x200}, 1);
  auto& halves = f.load({0x102}, 2);
  f.core.at(0, bytes);
  f.core.at(1, halves);
  f.bench.run();
  CHECK(bytes.access.data[0] == 0xEF);
  CHECK(bytes.access.data[1] == 0x89);
  CHECK(bytes.access.data[2] == 0);
  CHECK(halves.access.data[0] == 0x89AB);
}

TEST_CASE("atomics go lane by lane, and the access behind them waits") {
  Fixture f;
  f.memory.set_word(0x100, 1000);
  auto& atomic = f.load({0x100, 0x100, 0x100});
  atomic.info.atomic = protocol::Atomic::kAdd;
  atomic.access.data = {1, 10, 100};
  auto& load = f.load({0x100});
  f.core.at(0, atomic);
  f.core.at(1, load);
  f.bench.run();
  CHECK(atomic.access.data[0] == 1000);
  CHECK(atomic.access.data[1] == 1001);
  CHECK(atomic.access.data[2] == 1011);
  CHECK(load.access.data[0] == 1111);
  REQUIRE(f.memory.seen.size() == 4);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(f.memory.seen[i].port == i);
    CHECK(f.memory.seen[i].cycle == 1 + i * kLatency);
  }
  CHECK(f.core.done(atomic) == 1 + 3 * kLatency + f.params.response_latency);
}

TEST_CASE("accesses overlap: one per cycle in, one per cycle out") {
  Fixture f;
  std::vector<protocol::WarpPayload*> accesses;
  for (unsigned i = 0; i < 10; ++i) {
    accesses.push_back(&f.load(row(0x1000 + 32 * i)));
    f.core.at(i, *accesses.back());
  }
  f.bench.run();
  for (unsigned i = 0; i < 10; ++i) CHECK(f.core.done(*accesses[i]) == f.answer(i, 0));
}

TEST_CASE("without a free id the head waits for a response, and nothing is lost") {
  coalescer::Params params;
  params.line_ids = 2;
  Fixture f(params);
  std::vector<protocol::WarpPayload*> accesses;
  for (unsigned i = 0; i < 12; ++i) {
    accesses.push_back(&f.load(row(0x1000 + 32 * i)));
    f.core.at(i, *accesses.back());
  }
  f.bench.run();
  // Two at a time: the n-th pair leaves when the pair before it has come back.
  for (unsigned i = 0; i < 12; ++i) CHECK(f.core.done(*accesses[i]) == f.answer(i % 2, i / 2 * kLatency));
  CHECK(f.dut.idle());
  f.dut.settle_stats();
  CHECK(f.dut.stats().activity.cycles(coalescer::Stats::kSent) == 12);
  CHECK(f.dut.stats().activity.cycles(coalescer::Stats::kNoId) == 5 * (kLatency - 2));
  CHECK(f.dut.stats().activity.total() == f.bench.clock.now());
}

TEST_CASE("a port that holds its request delays only what comes behind it") {
  Fixture f({}, 1);  // one request at a time on each port
  std::vector<protocol::WarpPayload*> accesses;
  for (unsigned i = 0; i < 6; ++i) {
    accesses.push_back(&f.load(row(0x1000 + 0x400 * i, 8, 64)));  // eight singles
    f.core.at(i, *accesses.back());
  }
  f.bench.run();
  for (unsigned i = 0; i < 6; ++i) CHECK(f.core.done(*accesses[i]) == f.answer(0, i * kLatency));
  CHECK(f.memory.seen.size() == 48);
  CHECK(f.dut.idle());
}

TEST_CASE("an error of one part becomes the status of the access") {
  Fixture f;
  f.memory.limit = 0x2000;
  auto& access = f.load({0x100, 0x104, 0x3000});
  auto& good = f.load({0x100});
  f.core.at(0, access);
  f.core.at(1, good);
  f.bench.run();
  CHECK(access.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(good.is_response_ok());
}

TEST_CASE("reset in flight leaves a block like a fresh one") {
  Fixture f;
  for (unsigned i = 0; i < 8; ++i) f.core.at(i, f.load(row(0x1000 + 0x400 * i, 8, 8 + 8 * i)));
  f.bench.run_for(9);
  CHECK_FALSE(f.dut.idle());
  std::ostringstream state;
  f.dut.dump_state(state);
  CHECK_FALSE(state.str().empty());
  f.memory.reset();
  f.dut.reset();
  f.core.reset();
  CHECK(f.dut.idle());
  f.bench.run_for(100);
  f.memory.seen.clear();
  const Cycle start = f.time() + 5;
  auto& access = f.load(row(0x1000));
  f.core.at(start, access);
  f.bench.run();
  CHECK(f.core.done(access) == f.answer(start, 0));
}

TEST_CASE("answers on their way back take no id: with one id and the longest way none is lost") {
  coalescer::Params params;
  params.line_ids = params.lane_ids = 1;
  params.response_latency = 63;
  testbench::Bench bench;
  testbench::PortMemory memory("memory", bench.clock, params.lanes + 1, 1, 64);
  coalescer::Coalescer dut("dut", params, bench.clock);
  testbench::WarpTrafficAgent core("core", bench.clock);
  for (unsigned i = 0; i <= params.lanes; ++i) dut.out[i].bind(memory.in[i]);
  core.socket.bind(dut.in);
  bench.add(memory);
  bench.add(dut);
  bench.add(core);
  memory.set_word(0x1000, 77);
  // Lane i alone each time, so that eight accesses of one request each are at the memory at a time.
  std::vector<protocol::WarpPayload*> loads;
  for (unsigned i = 0; i < 400; ++i) {
    loads.push_back(&core.warp(tlm::TLM_READ_COMMAND, 1u << i % 8, std::vector<std::uint32_t>(8, 0x1000), 4));
    core.at(i, *loads.back());
  }
  bench.run();
  for (unsigned i = 0; i < 400; ++i) CHECK(loads[i]->access.data[i % 8] == 77);
  CHECK(dut.idle());
}

namespace {

constexpr std::uint32_t kStackTop = 0x8000, kStackStride = 40;

/// Stacks of two warps that the caches interleave.
coalescer::Params with_stacks() {
  coalescer::Params params;
  params.local_top = kStackTop;
  params.local_stride = kStackStride;
  params.threads = 16;
  return params;
}

/// The word `depth` bytes below the end of each lane's stack.
std::vector<std::uint32_t> variable(std::uint32_t depth) {
  std::vector<std::uint32_t> addresses;
  for (std::uint32_t lane = 0; lane < 8; ++lane) addresses.push_back(kStackTop - lane * kStackStride - depth);
  return addresses;
}

}  // namespace

TEST_CASE("lanes that access the same variable of their stacks share a request, and find their own value") {
  Fixture f(with_stacks());
  for (std::uint32_t lane = 0; lane < 8; ++lane) f.memory.set_word(variable(8)[lane], 100 + lane);
  auto& store = f.core.warp(tlm::TLM_WRITE_COMMAND, 0xFF, variable(4));
  for (unsigned lane = 0; lane < 8; ++lane) store.access.data[lane] = 200 + lane;
  auto& load = f.load(variable(8));
  auto& again = f.load(variable(4));
  f.core.at(0, store);
  f.core.at(1, load);
  f.core.at(2, again);
  f.bench.run();
  REQUIRE(f.memory.seen.size() == 3);
  for (const auto& request : f.memory.seen) CHECK(request.lanes == 0xFF);
  CHECK(f.memory.seen[0].address == kStackTop - 32);
  CHECK(f.memory.seen[1].address == kStackTop - 64);
  CHECK(f.memory.seen[2].address == kStackTop - 32);
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    CHECK(f.memory.word(variable(4)[lane]) == 200 + lane);
    CHECK(load.access.data[lane] == 100 + lane);
    CHECK(again.access.data[lane] == 200 + lane);
  }
  CHECK(f.core.done(store) == f.answer(0, 0));
  CHECK_FALSE(store.info.timing_only);
  CHECK_FALSE(load.info.timing_only);
}

TEST_CASE("a store to a stack ends a reservation there") {
  Fixture f(with_stacks());
  protocol::Reservations reservations;
  f.dut.share_reservations(reservations);
  reservations.perform(protocol::Atomic::kLoadReserved, 7, variable(4)[2], 0, 0);
  auto& store = f.core.warp(tlm::TLM_WRITE_COMMAND, 0xFF, variable(4));
  f.core.at(0, store);
  f.bench.run();
  CHECK(reservations.size() == 0);
}

TEST_CASE("an access of lanes in stacks and of others waits until all before it are answered") {
  Fixture f(with_stacks());
  auto& store = f.core.warp(tlm::TLM_WRITE_COMMAND, 0xFF, row(0x1000));
  for (unsigned lane = 0; lane < 8; ++lane) store.access.data[lane] = 300 + lane;
  std::vector<std::uint32_t> mixed = variable(4);
  mixed[0] = 0x1000;
  f.memory.set_word(mixed[1], 77);
  auto& load = f.load(mixed);
  f.core.at(0, store);
  f.core.at(1, load);
  f.bench.run();
  CHECK(load.access.data[0] == 300);
  CHECK(load.access.data[1] == 77);
  CHECK(f.core.done(store) == f.answer(0, 0));
  REQUIRE(f.memory.seen.size() >= 2);
  CHECK(f.memory.seen[1].cycle >= f.core.done(store));
}

TEST_CASE("an atomic on a stack keeps its address") {
  Fixture f(with_stacks());
  f.memory.set_word(variable(4)[0], 5);
  auto& add = f.core.warp(tlm::TLM_READ_COMMAND, 1, variable(4));
  add.info.atomic = protocol::Atomic::kAdd;
  add.access.data[0] = 2;
  f.core.at(0, add);
  f.bench.run();
  REQUIRE(f.memory.seen.size() == 1);
  CHECK(f.memory.seen[0].address == variable(4)[0]);
  CHECK(f.memory.word(variable(4)[0]) == 7);
  CHECK(add.access.data[0] == 5);
}

TEST_CASE("requests of a block say on which sectors of the cache's line their lanes are") {
  coalescer::Params params;
  params.line_bytes = 64;
  params.sectors = 4;  // of lines of 128 bytes
  params.sector_bytes = 32;
  Fixture f(params);
  f.core.at(0, f.load(row(0x1040)));  // eight words: half a block, in the upper half of the line
  f.core.at(10, f.load(row(0x1010)));
  f.core.at(20, f.load({0x1000, 0x103C, 0x1044, 0x1048, 0x1200}));
  auto& store = f.core.warp(tlm::TLM_WRITE_COMMAND, 0x3, {0x1020, 0x1024});
  f.core.at(30, store);
  f.bench.run();
  std::vector<unsigned> sectors;
  for (const auto& seen : f.memory.seen) sectors.push_back(seen.sectors);
  CHECK(sectors == std::vector<unsigned>{0b0100, 0b0011, 0b0011, 0b0100, 0, 0b0010});
}
