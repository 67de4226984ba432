// SPDX-License-Identifier: Apache-2.0
// A memory with a port for each slice of the level 2 cache, and channels of slices.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/block/main_memory/memory_fixture.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;
using testbench::kBase;

namespace {

constexpr std::uint64_t kChunk = 256;

/// One agent for each slice, which sends the requests of its slice.
struct Ports {
  explicit Ports(const main_memory::Params& params) : map(*params.slices), dut("dut", params, bench.clock) {
    for (unsigned i = 0; i < map.slices(); ++i)
      agents.push_back(
          std::make_unique<testbench::TrafficAgent>(("agent_" + std::to_string(i)).c_str(), bench.clock));
    agents[0]->socket.bind(dut.in);
    for (unsigned i = 1; i < map.slices(); ++i) agents[i]->socket.bind(*dut.more_in[i - 1]);
    bench.add(dut);
    for (auto& agent : agents) bench.add(*agent);
  }
  static main_memory::Params shape(unsigned slices, unsigned channels) {
    main_memory::Params p;
    p.channels = channels;
    p.interleave_bytes = kChunk;
    p.dram.refresh_ns = 0;
    p.slices = std::make_shared<const protocol::SliceMap>(slices, kChunk, protocol::SliceHash::kNone);
    return p;
  }
  static main_memory::Params fixed(unsigned slices, unsigned channels) {
    main_memory::Params p = shape(slices, channels);
    p.back_end = main_memory::BackEndKind::kFixed;
    p.fixed.latency_ns = 100;
    p.fixed.gb_per_s = 12.8 * channels;  // 32 bytes of a channel in each cycle of 2.5 ns
    p.fixed.per_channel = true;
    return p;
  }
  /// Reads `lines` lines of these slices in turn from cycle 5 on; the cycle of the last answer.
  Cycle stream(const std::vector<unsigned>& slices, unsigned lines) {
    std::vector<std::pair<unsigned, protocol::LinePayload*>> sent;
    for (unsigned i = 0; i < lines; ++i) {
      const unsigned slice = slices[i % slices.size()];
      const base::Address address = map.address({slice, map.home(kBase).offset + kChunk * (i + 1)});
      sent.emplace_back(slice, &agents[slice]->line(tlm::TLM_READ_COMMAND, address, 64));
      agents[slice]->at(5, *sent.back().second);
    }
    bench.run();
    Cycle last = 0;
    for (const auto& [slice, read] : sent) last = std::max(last, agents[slice]->done(*read));
    return last;
  }
  testbench::Bench bench;
  const protocol::SliceMap map;
  main_memory::MainMemory dut;
  std::vector<std::unique_ptr<testbench::TrafficAgent>> agents;
};

}  // namespace

TEST_CASE("slices of all channels get the whole bandwidth of a fixed memory") {
  Ports f(Ports::fixed(6, 3));
  const Cycle last = f.stream({0, 2, 4}, 300);
  // 300 lines of 64 bytes at 96 bytes per cycle, and the latency of the last ones.
  CHECK(last == 5 + 198 + 40);
  CHECK(f.dut.idle());
}

TEST_CASE("slices of one channel get its part") {
  Ports f(Ports::fixed(6, 3));
  CHECK(f.stream({0, 1}, 300) == 5 + 598 + 40);
}

TEST_CASE("a full channel holds its own slices only") {
  main_memory::Params params = Ports::fixed(2, 2);
  params.fixed.requests = 1;
  Ports f(params);
  auto& first = f.agents[0]->line(tlm::TLM_READ_COMMAND, kBase, 64);
  auto& second = f.agents[0]->line(tlm::TLM_READ_COMMAND, kBase + 64, 64);
  auto& other = f.agents[1]->line(tlm::TLM_READ_COMMAND, kBase + kChunk, 64);
  f.agents[0]->at(5, first);
  f.agents[0]->at(5, second);
  f.agents[1]->at(6, other);
  f.bench.run();
  CHECK(f.agents[0]->done(first) == 5 + 40);
  CHECK(f.agents[1]->done(other) == 6 + 40);
  CHECK(f.agents[0]->done(second) == 5 + 80);
}

TEST_CASE("three DRAM channels of two slices each answer all ports") {
  Ports f(Ports::shape(6, 3));
  const Cycle last = f.stream({0, 1, 2, 3, 4, 5}, 600);
  CHECK(f.dut.stats().reads.value() == 600);
  CHECK(f.dut.stats().bytes_read.value() == 600 * 64);
  // 600 bursts of 4 clocks of 1.5 ns on three buses, and what rows cost.
  CHECK(last > 5 + 600 / 3 * 6 * 10 / 25);
  f.dut.reset();
  CHECK(f.dut.idle());
}
