// SPDX-License-Identifier: Apache-2.0
// The memory that has only a latency and a bandwidth: not better and not worse than its two numbers.
#include <cmath>

#include "testbenches/block/main_memory/memory_fixture.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;
using testbench::kBase;
using Fixture = testbench::MemoryFixture;

namespace {

main_memory::Params fixed(double latency_ns, double gb_per_s, std::uint64_t requests = 4096) {
  main_memory::Params p;
  p.back_end = main_memory::BackEndKind::kFixed;
  p.fixed.latency_ns = latency_ns;
  p.fixed.gb_per_s = gb_per_s;
  p.fixed.requests = requests;
  return p;
}

/// The first cycle of 2.5 ns that begins `ns` after the beginning of cycle `sent`, or later.
Cycle after(Cycle sent, double ns) { return sent + static_cast<Cycle>(std::ceil(ns / 2.5 - 1e-9)); }

}  // namespace

TEST_CASE("a fixed memory answers one latency after a request that is alone") {
  Fixture f(fixed(997.5, 100));
  auto& read = f.read(kBase);
  auto& write = f.agent.line(tlm::TLM_WRITE_COMMAND, kBase + 4096, 32);
  f.agent.at(10, read);
  f.agent.at(1000, write);
  f.bench.run();
  CHECK(f.agent.done(read) == 10 + 399);
  CHECK(f.agent.done(write) == 1000 + 399);
  CHECK(f.dut.idle());
  CHECK(f.bench.clock.asleep());
}

TEST_CASE("a latency that is no multiple of the cycle is rounded up") {
  Fixture f(fixed(41, 100));
  auto& read = f.read(kBase);
  f.agent.at(7, read);
  f.bench.run();
  CHECK(f.agent.done(read) == 7 + 17);  // 16.4 cycles
}

TEST_CASE("a fixed memory streams reads and writes at its bandwidth, neither faster nor slower") {
  const double gb_per_s = 37.3, latency = 100;
  Fixture f(fixed(latency, gb_per_s));
  constexpr unsigned kLines = 2000;
  std::vector<protocol::LinePayload*> lines;
  for (unsigned i = 0; i < kLines; ++i) {
    lines.push_back(i % 3 == 0 ? &f.agent.line(tlm::TLM_WRITE_COMMAND, kBase + 64 * i, 64)
                               : &f.read(kBase + 64 * i));
    f.agent.at(5, *lines.back());
  }
  f.bench.run();
  for (unsigned i = 0; i < kLines; ++i)
    REQUIRE(f.agent.done(*lines[i]) == after(5, i * 64 / gb_per_s + latency));
  const auto& stats = f.dut.stats();
  CHECK(stats.reads.value() + stats.writes.value() == kLines);
  CHECK(stats.bytes_read.value() + stats.bytes_written.value() == 64 * kLines);
  CHECK(stats.row_hits.value() + stats.row_misses.value() + stats.refreshes.value() == 0);
  // From the first byte to the last one, and nearly always with another request behind it.
  const auto streamed = static_cast<std::uint64_t>(std::ceil(kLines * 64 / gb_per_s / 2.5));
  CHECK(f.charged("moving") + f.charged("channel_busy") == streamed);
  CHECK(f.charged("channel_busy") > 0.95 * static_cast<double>(streamed));
  CHECK(f.charged("queue_full") == 0);
}

TEST_CASE("a request takes at least as long as its own data") {
  Fixture f(fixed(1, 0.5));  // 64 bytes take 128 ns
  auto& first = f.read(kBase);
  auto& second = f.read(kBase + 64);
  f.agent.at(0, first);
  f.agent.at(0, second);
  f.bench.run();
  CHECK(f.agent.done(first) == after(0, 128));
  CHECK(f.agent.done(second) == after(0, 256));
}

TEST_CASE("a full fixed memory takes the next request when a response leaves") {
  Fixture f(fixed(100, 1000, 2));
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 10; ++i) {
    reads.push_back(&f.read(kBase + 64 * i));
    f.agent.at(0, *reads.back());
  }
  f.bench.run();
  for (unsigned i = 0; i < 10; i += 2) {
    CHECK(f.agent.accepted(*reads[i]) == i / 2 * 40);
    CHECK(f.agent.done(*reads[i]) == (i / 2 + 1) * 40);
  }
  // The first two pass in one cycle, then two each time in two cycles; between them the next one waits for an answer.
  CHECK(f.charged("queue_full") == 39 + 3 * 38);
  CHECK(f.charged("moving") + f.charged("channel_busy") == 1 + 4 * 2);
}

TEST_CASE("a fixed memory moves data in the order of arrival and is as new after a reset") {
  Fixture f(fixed(50, 10));
  auto& write = f.agent.line(tlm::TLM_WRITE_COMMAND, kBase, 64);
  write.data.fill(9);
  auto& read = f.read(kBase);
  f.agent.at(0, write);
  f.agent.at(0, read);
  for (unsigned i = 0; i < 100; ++i) f.agent.at(1, f.read(kBase + 64 * i));
  f.bench.run_for(30);
  CHECK(read.data[0] == 9);
  CHECK_FALSE(f.reset_in_flight().empty());
  f.bench.run_for(10);
  const Cycle start = f.time() + 1;
  auto& again = f.read(kBase);
  f.agent.at(start, again);
  f.bench.run();
  CHECK(f.agent.done(again) == after(start, 50));
  CHECK(again.data[0] == 9);
}
