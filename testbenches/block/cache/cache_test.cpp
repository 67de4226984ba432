// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <sstream>

#include "testbenches/block/cache/cache_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;

namespace {

struct Fixture : testbench::CacheBench {
  using CacheBench::CacheBench;

  static cache::Params l1(unsigned ports = 2) {
    cache::Params p = cache::Params::l1_data(8);
    p.ports = ports;
    return p;
  }
  Cycle time() const { return static_cast<Cycle>(sc_core::sc_time_stamp() / bench.clock.period()); }
  protocol::LinePayload& read(unsigned port, Cycle at, std::uint64_t address, unsigned bytes = 4) {
    return plan(tlm::TLM_READ_COMMAND, port, at, address, bytes);
  }
  protocol::LinePayload& write(unsigned port, Cycle at, std::uint64_t address, unsigned bytes = 4) {
    return plan(tlm::TLM_WRITE_COMMAND, port, at, address, bytes);
  }
  protocol::LinePayload& plan(tlm::tlm_command command, unsigned port, Cycle at, std::uint64_t address,
                              unsigned bytes) {
    protocol::LinePayload& payload = agents[port]->line(command, address, bytes);
    agents[port]->at(at, payload);
    return payload;
  }
  Cycle done(unsigned port, const protocol::Payload& payload) const { return agents[port]->done(payload); }
};

}  // namespace

TEST_CASE("a miss fetches the line, then all its words hit") {
  Fixture f(Fixture::l1());
  f.memory.set_word(0x1008, 42);
  auto& cold = f.read(0, 10, 0x1004);
  auto& warm = f.read(0, 100, 0x1008);
  auto& other = f.read(0, 200, 0x1020);
  f.bench.run();
  CHECK(f.done(0, cold) == 10 + f.miss());
  CHECK(f.done(0, warm) == 100 + f.hit());
  CHECK(f.done(0, other) == 200 + f.miss());
  CHECK(warm.data[0] == 42);
  CHECK(cold.info.fetched == 32);
  CHECK(warm.info.fetched == 0);
  REQUIRE(f.memory.seen().size() == 2);
  CHECK(f.memory.seen()[0].address == 0x1000);
  CHECK(f.memory.seen()[0].bytes == 32);
  CHECK(f.memory.seen()[0].timing_only);
  CHECK(f.dut.idle());
  CHECK(f.bench.clock.asleep());
}

TEST_CASE("hits are pipelined: one per cycle and bank, one answer per port and cycle") {
  Fixture f(Fixture::l1());
  f.read(0, 0, 0x1000);
  f.read(0, 0, 0x1020);
  std::vector<protocol::LinePayload*> same, other;
  for (unsigned i = 0; i < 8; ++i) {
    same.push_back(&f.read(0, 100 + i, 0x1000 + 4 * i));
    other.push_back(&f.read(1, 100 + i, 0x1020 + 4 * i));
  }
  f.bench.run();
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(f.done(0, *same[i]) == 100 + i + f.hit());
    CHECK(f.done(1, *other[i]) == 100 + i + f.hit());
  }
}

TEST_CASE("two ports at one bank take turns in order of arrival") {
  Fixture f(Fixture::l1());
  f.read(0, 0, 0x1000);
  auto& first = f.read(0, 100, 0x1000);
  auto& second = f.read(1, 100, 0x1004);
  f.bench.run();
  CHECK(f.done(0, first) == 100 + f.hit());
  CHECK(f.done(1, second) == 101 + f.hit());
}

TEST_CASE("misses to one line are merged into one fetch and answered one per cycle") {
  Fixture f(Fixture::l1());
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 6; ++i) reads.push_back(&f.read(0, i, 0x1000 + 4 * i));
  f.bench.run();
  CHECK(f.memory.seen().size() == 1);
  for (unsigned i = 0; i < 6; ++i) CHECK(f.done(0, *reads[i]) == f.miss() + i);
  CHECK(f.dut.stats().read_misses.value() == 1);
  CHECK(f.dut.stats().read_merged.value() == 5);
}

TEST_CASE("a write through is acknowledged like a hit, moves its bytes at once, and is sent on") {
  Fixture f(Fixture::l1());
  f.memory.set_word(0x1000, 0xEEEEEEEE);
  auto& write = f.write(0, 10, 0x1000, 8);
  write.use_byte_enables();
  std::memset(&write.enables[0], 0xFF, 4);
  write.enables[6] = 0xFF;
  write.data = {1, 2, 3, 4, 5, 6, 7, 8};
  auto& read = f.read(1, 11, 0x1000, 8);
  f.bench.run();
  CHECK(f.done(0, write) == 10 + f.hit());
  CHECK(f.memory.word(0x1000) == 0x04030201);
  CHECK(f.memory.word(0x1004) == 0x00070000);
  CHECK(read.data[3] == 4);
  REQUIRE(f.memory.seen().size() == 2);
  CHECK(f.memory.seen()[0].command == tlm::TLM_WRITE_COMMAND);
  CHECK(f.memory.seen()[0].cycle == 11 + f.params.miss_latency);
  CHECK(f.memory.seen()[0].timing_only);
  CHECK(f.dut.stats().write_misses.value() == 1);
  CHECK(f.dut.stats().read_misses.value() == 1);  // the write did not allocate
}

TEST_CASE("a read directly behind a write hit to its line comes one cycle later") {
  Fixture f(Fixture::l1());
  f.read(0, 0, 0x1000);
  auto& write = f.write(0, 100, 0x1000);
  auto& read = f.read(1, 100, 0x1004);
  auto& next = f.read(1, 101, 0x1008);
  f.bench.run();
  CHECK(f.done(0, write) == 100 + f.hit());
  CHECK(f.done(1, read) == 102 + f.hit());
  CHECK(f.done(1, next) == 103 + f.hit());
  CHECK(f.dut.stats().hazards.value() == 1);
}

TEST_CASE("a store burst is bounded by the ids to memory, and drains") {
  cache::Params params = Fixture::l1(1);
  params.memory_ids = 2;
  params.memory_queue = 2;
  params.request_queue = 2;
  Fixture f(params, 4);
  std::vector<protocol::LinePayload*> writes;
  for (unsigned i = 0; i < 40; ++i) writes.push_back(&f.write(0, 0, 0x1000 + 256 * i));  // one bank
  f.bench.run();
  CHECK(f.memory.seen().size() == 40);
  for (unsigned i = 2; i < 40; ++i) {
    CHECK(f.memory.seen()[i].cycle >= f.memory.seen()[i - 2].cycle + Fixture::kLatency);
    CHECK(f.done(0, *writes[i]) != base::kNever);
  }
  CHECK(f.dut.stats().blocked_memory.value() > 0);
  CHECK(f.dut.idle());
  f.dut.settle_stats();
  CHECK(f.dut.stats().activity.total() == f.bench.clock.now());
  CHECK(f.dut.stats().activity.cycles(cache::Stats::kBlocked) > 100);
}

TEST_CASE("one MSHR serves one line after the other") {
  cache::Params params = Fixture::l1(1);
  params.mshrs = 1;
  params.mshr_requests = 1;
  Fixture f(params);
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 10; ++i) reads.push_back(&f.read(0, 0, 0x1000 + 256 * (i / 2)));
  f.bench.run();
  CHECK(f.memory.seen().size() == 5);
  for (auto* payload : reads) CHECK(f.done(0, *payload) != base::kNever);
  CHECK(f.dut.idle());
}

TEST_CASE("a dirty line goes to memory when it is evicted, a clean one does not") {
  cache::Params params = cache::Params::l2();
  params.size_bytes = 512;  // one set of eight lines
  Fixture f(params);
  f.write(0, 0, 0x1000);
  f.read(0, 0, 0x1040);
  for (unsigned i = 2; i < 10; ++i) f.read(0, 100 * i, 0x1000 + 64 * i);
  f.bench.run();
  unsigned writes = 0;
  for (const auto& seen : f.memory.seen()) {
    if (seen.command != tlm::TLM_WRITE_COMMAND) continue;
    ++writes;
    CHECK(seen.address == 0x1000);
    CHECK(seen.bytes == 64);
    CHECK(seen.timing_only);
  }
  CHECK(writes == 1);
  CHECK(f.dut.stats().write_backs.value() == 1);
  CHECK(f.dut.stats().fills.value() == 10);
}

TEST_CASE("a DMA write of a whole line needs no fetch and moves its data") {
  Fixture f(cache::Params::l2());
  auto& whole = f.write(0, 0, 0x1000, 64);
  whole.data.fill(3);
  auto& half = f.write(0, 100, 0x2000, 32);
  half.data.fill(4);
  auto& timing = f.write(0, 200, 0x1000, 32);
  timing.data.fill(5);
  timing.info.timing_only = true;
  f.bench.run();
  CHECK(f.done(0, whole) == f.hit());
  REQUIRE(f.memory.seen().size() == 1);
  CHECK(f.memory.seen()[0].address == 0x2000);
  CHECK(f.memory.seen()[0].command == tlm::TLM_READ_COMMAND);
  CHECK(f.memory.word(0x1000) == 0x03030303);
  CHECK(f.memory.word(0x201C) == 0x04040404);
}

TEST_CASE("a read-only cache turns writes down") {
  Fixture f(cache::Params::l1_instruction());
  f.memory.set_word(0x1000, 9);
  auto& write = f.write(0, 0, 0x1000);
  auto& read = f.read(0, 10, 0x1000);
  f.bench.run();
  CHECK(write.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(read.is_response_ok());
  CHECK(read.data[0] == 9);
}

TEST_CASE("atomics return the old value and leave the new one") {
  Fixture f(Fixture::l1());
  f.memory.set_word(0x1000, 100);
  auto& add = f.read(0, 0, 0x1000);
  add.info.atomic = protocol::Atomic::kAdd;
  add.data[0] = 7;
  add.data[1] = add.data[2] = add.data[3] = 0;
  f.bench.run();
  CHECK(add.data[0] == 100);
  CHECK(f.memory.word(0x1000) == 107);
  CHECK(f.done(0, add) == f.hit());
  CHECK(f.dut.stats().atomics.value() == 1);
  CHECK(f.memory.seen().size() == 1);  // written through
}

TEST_CASE("a full queue holds requests at the ports and serves them in order of arrival") {
  cache::Params params = Fixture::l1(4);
  params.request_queue = 1;
  Fixture f(params);
  f.read(0, 0, 0x1000);
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 32; ++i) reads.push_back(&f.read(i % 4, 100, 0x1000 + 4 * (i % 8)));
  f.bench.run();
  Cycle last = 0;
  for (unsigned i = 0; i < 32; ++i) last = std::max(last, f.done(i % 4, *reads[i]));
  CHECK(last == 100 + 31 + f.hit());
}

TEST_CASE("reset in flight leaves a cache like a fresh one") {
  Fixture f(Fixture::l1(), 2);
  for (unsigned i = 0; i < 30; ++i) {
    f.read(0, i, 0x1000 + 32 * i);
    f.write(1, i, 0x1000 + 32 * i);
  }
  f.bench.run_for(30);
  CHECK_FALSE(f.dut.idle());
  std::ostringstream state;
  f.dut.dump_state(state);
  CHECK_FALSE(state.str().empty());
  f.memory.reset();
  f.memory.socket.reset();
  f.dut.reset();
  for (auto& agent : f.agents) agent->reset();
  CHECK(f.dut.idle());
  f.bench.run_for(100);
  const Cycle start = f.time() + 1;
  auto& read = f.read(0, start, 0x1000);
  f.bench.run();
  CHECK(f.done(0, read) == start + f.miss());
}

TEST_CASE("an instruction cache gives a word that hits at once, with its usual time") {
  const cache::Params p = cache::Params::l1_instruction();
  Fixture f(p);
  f.memory.set_word(0x1008, 7);
  std::vector<protocol::LinePayload*> fetches{&f.read(0, 0, 0x1000)};
  for (unsigned i = 0; i < 6; ++i) fetches.push_back(&f.read(0, 100 + i, 0x1000 + 4 * i));
  auto& miss = f.read(0, 106, 0x2000);
  for (unsigned i = 0; i < 40; ++i) fetches.push_back(&f.read(0, 107 + i, 0x1000 + 4 * (i % 8)));
  f.agents[0]->read_words();
  f.bench.run();
  CHECK(fetches[3]->data[0] == 7);
  for (unsigned i = 0; i < 6; ++i) CHECK(f.done(0, *fetches[1 + i]) == 100 + i + f.hit());
  CHECK(f.done(0, miss) == 106 + f.miss() + 1);  // the fill finds the bank's turn taken by a hit
  CHECK(f.dut.stats().read_hits.value() == 46);
  CHECK(f.agents[0]->words() == 28);  // until the line comes; then requests wait in the queue
  f.dut.settle_stats();
  CHECK(f.dut.stats().activity.total() == f.bench.clock.now());
  CHECK(f.dut.stats().activity.cycles(cache::Stats::kServing) >= 46);
}
