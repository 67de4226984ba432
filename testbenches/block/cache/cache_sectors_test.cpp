// SPDX-License-Identifier: Apache-2.0
// A cache whose lines have sectors, between agents and a memory.
#include <memory>
#include <random>

#include "testbenches/block/cache/cache_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;

namespace {

/// Lines of 128 bytes with sectors of 32.
struct Sectored : testbench::CacheBench {
  using CacheBench::CacheBench;

  static cache::Params divided(cache::Params p, std::uint64_t ports = 1) {
    p.ports = ports;
    p.line_bytes = 128;
    p.sectors = 4;
    p.bank_bytes_per_cycle = 128;
    return p;
  }
  static cache::Params l1() { return divided(cache::Params::l1_data(8)); }
  protocol::LinePayload& plan(tlm::tlm_command command, Cycle at, std::uint64_t address, unsigned bytes,
                              std::uint8_t sectors = 0) {
    protocol::LinePayload& payload = agents[0]->line(command, address, bytes);
    payload.info.sectors = sectors;
    agents[0]->at(at, payload);
    return payload;
  }
  protocol::LinePayload& read(Cycle at, std::uint64_t address, unsigned bytes = 4, std::uint8_t sectors = 0) {
    return plan(tlm::TLM_READ_COMMAND, at, address, bytes, sectors);
  }
  protocol::LinePayload& write(Cycle at, std::uint64_t address, unsigned bytes = 4,
                               std::uint8_t sectors = 0) {
    return plan(tlm::TLM_WRITE_COMMAND, at, address, bytes, sectors);
  }
  Cycle done(const protocol::Payload& payload) const { return agents[0]->done(payload); }
  /// What memory has seen.
  void check_seen(std::size_t i, tlm::tlm_command command, std::uint64_t address, unsigned bytes) const {
    REQUIRE(i < memory.seen().size());
    CHECK(memory.seen()[i].command == command);
    CHECK(memory.seen()[i].address == address);
    CHECK(memory.seen()[i].bytes == bytes);
  }
};

}  // namespace

TEST_CASE("a word fetches its sector, the next sector of the line takes as long again, then both hit") {
  Sectored f(Sectored::l1());
  f.memory.set_word(0x1044, 7);
  auto& first = f.read(10, 0x1040);
  auto& second = f.read(100, 0x1060);
  auto& both = f.read(200, 0x1040, 64);
  f.bench.run();
  CHECK(f.done(first) == 10 + f.miss());
  CHECK(f.done(second) == 100 + f.miss());
  CHECK(f.done(both) == 200 + f.hit());
  CHECK(both.data[4] == 7);
  CHECK(first.info.fetched == 32);
  CHECK(second.info.fetched == 32);
  CHECK(both.info.fetched == 0);
  REQUIRE(f.memory.seen().size() == 2);
  f.check_seen(0, tlm::TLM_READ_COMMAND, 0x1040, 32);
  f.check_seen(1, tlm::TLM_READ_COMMAND, 0x1060, 32);
  CHECK(f.dut.stats().more_sectors_filled.value() == 0);
  CHECK(f.dut.stats().more_sectors_read.value() == 1);  // of the hit
}

TEST_CASE("a request for sectors with a gap is two fetches and one answer") {
  Sectored f(Sectored::l1());
  auto& gap = f.read(10, 0x1000, 128, 0b1001);
  f.bench.run();
  f.check_seen(0, tlm::TLM_READ_COMMAND, 0x1000, 32);
  f.check_seen(1, tlm::TLM_READ_COMMAND, 0x1060, 32);
  // One request per cycle leaves the cache, and the bank keeps a cycle of distance behind the first fill.
  CHECK(f.done(gap) == 10 + f.miss() + 2);
  CHECK(gap.info.fetched == 64);
  CHECK(f.dut.stats().bytes_read.value() == 64);
  CHECK(f.dut.stats().read_misses.value() == 1);
  CHECK(f.dut.stats().fills.value() == 2);
}

TEST_CASE("a miss to a line with sectors on their way asks for the others only") {
  Sectored f(Sectored::l1());
  auto& first = f.read(10, 0x1000, 64);
  auto& second = f.read(11, 0x1020, 64);
  auto& third = f.read(12, 0x1000, 4);
  f.bench.run();
  REQUIRE(f.memory.seen().size() == 2);
  f.check_seen(0, tlm::TLM_READ_COMMAND, 0x1000, 64);
  f.check_seen(1, tlm::TLM_READ_COMMAND, 0x1040, 32);
  CHECK(f.done(first) == 10 + f.miss());
  CHECK(f.done(third) == 10 + f.miss() + 1);
  CHECK(f.done(second) == f.done(third) + 3);  // its fill comes behind the replays, and a cycle of distance
  CHECK(f.dut.stats().read_merged.value() == 1);
  // What is on its way is not there, either.
  CHECK(second.info.fetched == 64);
  CHECK(third.info.fetched == 32);
}

TEST_CASE("a store through to a sector that is absent is sent on and does not bring it in") {
  Sectored f(Sectored::l1());
  f.read(0, 0x1000);
  auto& store = f.write(100, 0x1020, 8);
  store.data = {1, 2, 3, 4};
  auto& load = f.read(200, 0x1020);
  f.bench.run();
  CHECK(f.done(store) == 100 + f.hit());
  CHECK(f.done(load) == 200 + f.miss());
  CHECK(load.data[3] == 4);
  f.check_seen(1, tlm::TLM_WRITE_COMMAND, 0x1020, 8);
  CHECK(f.dut.stats().write_misses.value() == 1);
  CHECK(f.dut.stats().more_sectors_written.value() == 0);
}

TEST_CASE("an evicted line writes its dirty sectors, and a store of a whole sector fetches none") {
  cache::Params params = Sectored::divided(cache::Params::l2());
  params.size_bytes = 8 * 128;  // one set
  Sectored f(params);
  f.write(0, 0x1020, 32);
  f.write(50, 0x1068, 4);
  for (unsigned i = 1; i < 9; ++i) f.read(100 * i, 0x1000 + 128 * i);
  f.bench.run();
  f.check_seen(0, tlm::TLM_READ_COMMAND, 0x1060, 32);  // of the word
  REQUIRE(f.memory.seen().size() == 1 + 8 + 2);
  f.check_seen(9, tlm::TLM_WRITE_COMMAND, 0x1020, 32);
  f.check_seen(10, tlm::TLM_WRITE_COMMAND, 0x1060, 32);
  CHECK(f.dut.stats().write_backs.value() == 1);
  CHECK(f.dut.stats().more_sectors_written_back.value() == 1);
}

TEST_CASE("what is filled keeps the bank for the passes of its sectors, not for those of the line") {
  cache::Params params = Sectored::l1();
  params.bank_bytes_per_cycle = 32;
  Sectored f(params);
  auto& one = f.read(10, 0x1000);
  auto& three = f.read(200, 0x1080, 128, 0b0111);
  f.bench.run();
  CHECK(f.done(one) == 10 + f.miss());
  CHECK(f.done(three) == 200 + f.miss() + 2);
}

TEST_CASE("an instruction cache with sectors takes requests for words, and its time stays the same") {
  Sectored f(Sectored::divided(cache::Params::l1_instruction()));
  f.memory.set_word(0x1008, 9);
  f.read(0, 0x1000);
  auto& there = f.read(100, 0x1008);
  auto& absent = f.read(101, 0x1020);
  f.agents[0]->read_words();
  f.bench.run();
  CHECK(f.done(there) == 100 + f.hit());
  CHECK(there.data[0] == 9);
  CHECK(f.done(absent) == 101 + f.miss());
  CHECK(f.agents[0]->words() == 0);
}

TEST_CASE("reset in flight forgets the sectors that were there and those on their way") {
  Sectored f(Sectored::l1());
  f.read(0, 0x1000);
  f.read(40, 0x1020);
  f.bench.run_for(45);
  CHECK_FALSE(f.dut.idle());
  f.memory.reset();
  f.memory.socket.reset();
  f.dut.reset();
  f.agents[0]->reset();
  CHECK(f.dut.idle());
  f.bench.run_for(100);
  auto& again = f.read(200, 0x1000);
  auto& next = f.read(300, 0x1020);
  f.bench.run();
  CHECK(f.done(again) == 200 + f.miss());
  CHECK(f.done(next) == 300 + f.miss());
}

namespace {

/// Random reads and writes of a few lines, in program order at one port; a plain array says what must be read.
void check_random(cache::Params params, unsigned seed) {
  constexpr unsigned kBytes = 1024;
  params.size_bytes = params.line_bytes * params.ways * params.banks;
  Sectored f(params);
  std::mt19937 random(seed);
  std::vector<std::uint8_t> reference(kBytes, 0);
  struct Expected {
    protocol::LinePayload* payload;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Expected> reads;
  Cycle at = 0;
  for (unsigned n = 0; n < 3000; ++n) {
    at += random() % 8 == 0 ? random() % 40 : 0;
    const unsigned bytes = 4u << random() % 6;
    const unsigned address = static_cast<unsigned>(random() % (kBytes / bytes)) * bytes;
    const auto named = static_cast<std::uint8_t>(bytes == 128 ? random() % 16 : 0);
    const bool write = random() % 3 == 0;
    auto& payload =
        write ? f.write(at, 0x1000 + address, bytes, named) : f.read(at, 0x1000 + address, bytes, named);
    if (!write) {
      reads.push_back({&payload, {reference.begin() + address, reference.begin() + address + bytes}});
      continue;
    }
    const bool enables = random() % 2 == 0;
    if (enables) payload.use_byte_enables();
    for (unsigned i = 0; i < bytes; ++i) {
      payload.data[i] = static_cast<std::uint8_t>(random());
      if (enables) payload.enables[i] = random() % 2 == 0 ? 0xFF : 0;
      if (!enables || payload.enables[i] != 0) reference[address + i] = payload.data[i];
    }
  }
  f.bench.run();
  for (const Expected& read : reads) {
    REQUIRE(f.done(*read.payload) != base::kNever);
    REQUIRE(std::equal(read.bytes.begin(), read.bytes.end(), read.payload->data.begin()));
  }
  CHECK(f.dut.idle());
  std::uint64_t read = 0, written_back = 0;
  for (const auto& seen : f.memory.seen()) {
    if (seen.command == tlm::TLM_READ_COMMAND) read += seen.bytes;
    else written_back += seen.bytes;
  }
  const cache::Stats& stats = f.dut.stats();
  const std::uint64_t sector = params.line_bytes / params.sectors;
  CHECK((stats.fills.value() + stats.more_sectors_filled.value()) * sector == read);
  if (params.write_policy == cache::WritePolicy::kWriteBack)
    CHECK((stats.write_backs.value() + stats.more_sectors_written_back.value()) * sector == written_back);
  CHECK(stats.read_merged.value() > 100);
  CHECK(stats.blocked_mshr.value() > 100);
  CHECK(stats.blocked_memory.value() > 10);
  CHECK(stats.more_sectors_filled.value() > 0);
  if (params.write_policy == cache::WritePolicy::kWriteThrough)
    CHECK(stats.replays.value() == stats.read_misses.value() + stats.read_merged.value());
}

/// Few of everything, so that requests wait, merge and push each other out.
cache::Params small(cache::Params params) {
  params.ways = 2;
  params.banks = 2;
  params.request_queue = 2;
  params.mshrs = 2;
  params.mshr_requests = 4;
  params.memory_queue = 2;
  params.memory_queue_limit = 2;
  params.memory_ids = 3;
  return params;
}

}  // namespace

TEST_CASE("random reads and writes through a cache that writes through find what was written") {
  check_random(small(Sectored::l1()), 1);
}

TEST_CASE("random reads and writes through a cache that writes back find what was written") {
  check_random(small(Sectored::divided(cache::Params::l2())), 2);
}

TEST_CASE("random reads and writes find what was written without sub-banks and with a narrow bank") {
  cache::Params params = small(Sectored::divided(cache::Params::l2()));
  params.sub_banks = 1;
  params.bank_bytes_per_cycle = 16;
  params.replacement = cache::Replacement::kRandom;
  check_random(params, 3);
}

TEST_CASE("random reads and writes find what was written with sectors of 16 bytes") {
  cache::Params params = small(Sectored::divided(cache::Params::l2()));
  params.sectors = 8;
  params.memory_queue = 4;
  check_random(params, 4);
}
