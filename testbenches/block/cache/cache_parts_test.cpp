// SPDX-License-Identifier: Apache-2.0
// A cache whose ways have parts, behind a bus of which the payloads say that they have crossed it.
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "testbenches/block/cache/cache_bench.h"
#include "testbenches/support/apart.h"
#include "testbenches/support/catch.h"

using namespace spica;
using cache::Replacement;
using testbench::apart;
using testbench::Cycle;

namespace {

constexpr std::uint64_t kLine = 64;

/// A write-back cache; of the ports of the bus 0 and 1 are part 0, 2 and 3 part 1.
struct Parts : testbench::CacheBench {
  using CacheBench::CacheBench;

  static cache::Params of(std::uint64_t ways, std::uint64_t partitions, std::uint64_t sets = 1,
                          Replacement replacement = Replacement::kLru) {
    cache::Params p = cache::Params::l2();
    p.ports = 1;
    p.ways = ways;
    p.size_bytes = ways * sets * kLine;
    p.replacement = replacement;
    p.partitions = partitions;
    if (partitions > 1) p.part_of_source = {0, 0, 1, 1};
    return p;
  }
  protocol::LinePayload& access(tlm::tlm_command command, Cycle at, unsigned source, std::uint64_t line,
                                unsigned bytes = 4) {
    protocol::LinePayload& payload = agents[0]->line(command, line * kLine, bytes);
    if (source != protocol::RouteStack::kNoSource) protocol::RouteStack::push(payload, this, source);
    agents[0]->at(at, payload);
    return payload;
  }
  protocol::LinePayload& read(Cycle at, unsigned source, std::uint64_t line) {
    return access(tlm::TLM_READ_COMMAND, at, source, line);
  }
  bool hit(const protocol::Payload& payload, Cycle at) const {
    return agents[0]->done(payload) == at + hit_time();
  }
  Cycle hit_time() const { return CacheBench::hit(); }
  std::uint64_t counted(const std::string& name) {
    for (const auto& entry : dut.stats().counters())
      if (entry.name == name) return entry.counter.value();
    FAIL("no counter " << name);
    return 0;
  }
};

/// For each line that source 0 has fetched: its neighbour finds it after source 2 has read 64 others ("1") or not
/// ("0").
std::string kept(std::uint64_t partitions, Replacement replacement, unsigned lines) {
  Parts f(Parts::of(8, partitions, 1, replacement));
  Cycle now = 0;
  for (unsigned i = 0; i < lines; ++i) f.read(now += 100, 0, i);
  for (unsigned i = 0; i < 64; ++i) f.read(now += 100, 2, 100 + i);
  std::vector<std::pair<Cycle, protocol::LinePayload*>> again;
  for (unsigned i = 0; i < lines; ++i) {
    now += 100;
    again.emplace_back(now, &f.read(now, 1, i));
  }
  f.bench.run();
  std::string found;
  for (const auto& [at, payload] : again) found += f.hit(*payload, at) ? '1' : '0';
  return found;
}

/// Random traffic of the second part: the cycle of each answer, hits, writes to memory.
std::string answers(cache::Params params, std::uint64_t sectors) {
  params.sectors = sectors;
  Parts f(params);
  std::mt19937 random(7);
  std::vector<const protocol::Payload*> all;
  Cycle at = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    const bool write = random() % 3 == 0;
    const auto source = static_cast<unsigned>(2 + random() % 2);
    const std::uint64_t line = random() % 24;
    at += random() % 20;
    all.push_back(&f.access(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, at, source, line,
                            random() % 4 == 0 ? 64 : 4));
  }
  f.bench.run();
  std::ostringstream out;
  for (const protocol::Payload* payload : all) out << f.agents[0]->done(*payload) << ' ';
  out << f.dut.stats().read_hits.value() << ' ' << f.dut.stats().memory_writes.value();
  return out.str();
}

}  // namespace

TEST_CASE("a stream of one part pushes no line of the other part out, with any replacement") {
  for (const Replacement replacement :
       {Replacement::kLru, Replacement::kRoundRobin, Replacement::kRandom, Replacement::kRotating}) {
    // A rotating counter may choose one way twice: of one line alone it is known that it was there.
    const unsigned lines = replacement == Replacement::kRotating ? 1 : 4;
    CHECK(apart([&] { return kept(2, replacement, lines); }) == std::string(lines, '1'));
    CHECK(apart([&] { return kept(1, replacement, lines); }) == std::string(lines, '0'));
  }
}

TEST_CASE("a line is found and written in whatever part it is, and is there once") {
  Parts f(Parts::of(8, 2));
  auto& store = f.access(tlm::TLM_WRITE_COMMAND, 0, 0, 5, 64);  // into part 0, nothing to fetch
  store.data[0] = 42;
  auto& load = f.read(100, 2, 5);
  auto& other = f.access(tlm::TLM_WRITE_COMMAND, 200, 3, 5);
  other.data[0] = 43;
  for (unsigned i = 0; i < 16; ++i) f.read(300 + 100 * i, 2, 100 + i);  // part 1 turns over
  auto& still = f.read(2000, 2, 5);
  for (unsigned i = 0; i < 4; ++i) f.read(2100 + 100 * i, 1, 200 + i);  // part 0 turns over
  auto& gone = f.read(3000, 0, 5);
  f.bench.run();
  CHECK(f.hit(load, 100));
  CHECK(load.data[0] == 42);
  CHECK(f.hit(other, 200));
  CHECK(f.hit(still, 2000));
  CHECK(still.data[0] == 43);
  CHECK_FALSE(f.hit(gone, 3000));
  CHECK(gone.data[0] == 43);
  CHECK(f.dut.stats().memory_writes.value() == 1);  // of the one dirty line
  CHECK(f.counted("part_1_hits") == 3);
  CHECK(f.counted("part_0_lines") == 1 + 4 + 1);
  CHECK(f.counted("part_1_lines") == 16);
  CHECK(f.counted("part_0_evictions") == 2);
  CHECK(f.counted("part_1_evictions") == 12);
}

TEST_CASE("what came by no port of a part puts its lines into the first one") {
  Parts f(Parts::of(8, 2));
  f.read(0, protocol::RouteStack::kNoSource, 1);
  f.read(100, 4, 2);
  f.read(200, 2, 3);
  f.bench.run();
  CHECK(f.counted("part_0_lines") == 2);
  CHECK(f.counted("part_0_misses") == 2);
  CHECK(f.counted("part_1_lines") == 1);
}

TEST_CASE("a fetch that two parts wait for belongs to the one that asked first") {
  Parts f(Parts::of(8, 2));
  f.read(0, 3, 7);
  f.read(1, 0, 7);
  f.bench.run();
  CHECK(f.counted("part_1_lines") == 1);
  CHECK(f.counted("part_0_lines") == 0);
  CHECK(f.counted("part_0_misses") == 1);
}

TEST_CASE("a part alone is a cache with its ways: the same answers in the same cycles") {
  for (const Replacement replacement :
       {Replacement::kLru, Replacement::kRoundRobin, Replacement::kRandom, Replacement::kRotating})
    for (const std::uint64_t sectors : {1, 2}) {
      const std::string part = apart([&] { return answers(Parts::of(8, 2, 4, replacement), sectors); });
      CHECK(part.size() > 2000 * 4);
      CHECK(part == apart([&] { return answers(Parts::of(4, 1, 4, replacement), sectors); }));
    }
}

TEST_CASE("counters of the parts are those of the cache, and no part has more lines than ways") {
  constexpr std::uint64_t kSets = 4, kWays = 4;  // of a part
  cache::Params params = Parts::of(2 * kWays, 2, kSets);
  params.memory_queue = 1;  // often full
  Parts f(params);
  std::mt19937 random(3);
  Cycle at = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    const bool write = random() % 3 == 0;
    const auto source = static_cast<unsigned>(random() % 4);
    const std::uint64_t line = random() % 64;
    at += random() % 12;
    f.access(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, at, source, line,
             random() % 4 == 0 ? 64 : 4);
  }
  f.bench.run();
  const cache::Stats& s = f.dut.stats();
  CHECK(f.counted("part_0_hits") + f.counted("part_1_hits") == s.read_hits.value() + s.write_hits.value());
  CHECK(f.counted("part_0_misses") + f.counted("part_1_misses") ==
        s.read_misses.value() + s.read_merged.value() + s.write_misses.value() + s.write_merged.value());
  CHECK(s.write_backs.value() == s.memory_writes.value());
  for (const std::string part : {"part_0", "part_1"})
    CHECK(f.counted(part + "_lines") - f.counted(part + "_evictions") == kSets * kWays);
}
