// SPDX-License-Identifier: Apache-2.0
#include "testbenches/block/cache/cache_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;

namespace {

struct Prefetching : testbench::CacheBench {
  using CacheBench::CacheBench;

  static cache::Params with(cache::Params p) {
    p.ports = 1;
    p.prefetcher = cache::Prefetch::kNextLine;
    return p;
  }
  protocol::LinePayload& read(Cycle at, std::uint64_t address) {
    protocol::LinePayload& payload = agents[0]->line(tlm::TLM_READ_COMMAND, address, 4);
    agents[0]->at(at, payload);
    return payload;
  }
  Cycle done(const protocol::Payload& payload) const { return agents[0]->done(payload); }
  std::uint64_t counted(const char* name) {
    for (const base::StatGroup::Entry& entry : dut.stats().counters())
      if (entry.name == name) return entry.counter.value();
    FAIL(name);
    return 0;
  }
};

/// Four lines, one after the other.
void read_in_order(const cache::Params& p) {
  Prefetching f(Prefetching::with(p));
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 4; ++i) reads.push_back(&f.read(10 + 100 * i, 0x1000 + p.line_bytes * i));
  f.bench.run();
  // With sub-banks the replay keeps no distance from the fill.
  CHECK(f.done(*reads[0]) == 10 + f.miss() - (p.sub_banks > 1 ? 1 : 0));
  for (unsigned i = 1; i < 4; ++i) CHECK(f.done(*reads[i]) == 10 + 100 * i + f.hit());
  CHECK(f.memory.seen().size() == 5);
  CHECK(f.memory.seen().back().address == 0x1000 + 4 * p.line_bytes);
  CHECK(f.dut.stats().read_misses.value() == 1);
  CHECK(f.counted("prefetch_lookups") == 4);
  CHECK(f.counted("prefetches") == 4);
  CHECK(f.counted("prefetches_used") == 3);
  CHECK(f.counted("prefetches_dropped") == 0);
  CHECK(f.dut.idle());
}

}  // namespace

TEST_CASE("with a prefetcher the lines behind a missed one are there when they are read") {
  read_in_order(cache::Params::l1_data(8));
}

TEST_CASE("an instruction cache with a prefetcher has the next line before it is fetched") {
  read_in_order(cache::Params::l1_instruction());
}

TEST_CASE("a level 2 cache prefetches into its sub-banks") { read_in_order(cache::Params::l2()); }

TEST_CASE("a read of a line that is being prefetched waits for what is left of the time of a miss") {
  Prefetching f(Prefetching::with(cache::Params::l1_data(8)));
  auto& first = f.read(10, 0x1000);
  auto& second = f.read(20, 0x1020);
  f.bench.run();
  CHECK(f.done(first) == 10 + f.miss());
  // The bank of the first line serves it in cycle 11; that of the second looks for its line in the next one.
  CHECK(f.done(second) == 11 + f.miss());
  CHECK(f.dut.stats().read_merged.value() == 1);
  CHECK(f.counted("prefetches_used") == 1);
}

TEST_CASE("a prefetch does not leave its page of 4 KB") {
  Prefetching f(Prefetching::with(cache::Params::l1_data(8)));
  f.read(10, 0x1FE0);
  f.bench.run();
  CHECK(f.memory.seen().size() == 1);
  CHECK(f.counted("prefetch_lookups") == 0);
}

TEST_CASE("without a prefetcher nothing is counted of one") {
  Prefetching f(cache::Params::l1_instruction());
  for (const base::StatGroup::Entry& entry : f.dut.stats().counters())
    CHECK(std::string(entry.name).find("prefetch") == std::string::npos);
}
