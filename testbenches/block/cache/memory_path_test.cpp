// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "testbenches/block/cache/memory_system.h"
#include "testbenches/support/apart.h"

using namespace spica;
using testbench::Cycle;
using testbench::kBase;
using testbench::MemorySystem;
using testbench::RandomCore;
using testbench::TrafficAgent;
using testbench::WarpTrafficAgent;

namespace {

/// Core traffic through agents that play warp accesses.
struct Path : MemorySystem {
  WarpTrafficAgent core{"core", bench.clock};
  TrafficAgent fetch{"fetch", bench.clock};
  TrafficAgent dma_agent{"dma_agent", bench.clock};
  explicit Path(const main_memory::Params& memory_params = quiet())
      : MemorySystem(1, cache::Params::l1_data(8), cache::Params::l2(), memory_params) {
    core.socket.bind(coalescers[0]->in);
    fetch.socket.bind(l1i[0]->in[0]);
    dma_agent.socket.bind(dma());
    bench.add(core);
    bench.add(fetch);
    bench.add(dma_agent);
  }
  static main_memory::Params quiet() {
    main_memory::Params p;
    p.dram.refresh_ns = 0;
    return p;
  }
  protocol::WarpPayload& access(tlm::tlm_command command, std::uint32_t first) {
    std::vector<std::uint32_t> addresses;
    for (unsigned lane = 0; lane < 8; ++lane) addresses.push_back(first + 4 * lane);
    return core.warp(command, 0xFF, addresses);
  }
};

Cycle cycles_of(double picoseconds) { return static_cast<Cycle>((picoseconds + 2499) / 2500); }

}  // namespace

TEST_CASE("a coalesced load takes the sum of the stages on L1 hit, L2 hit and DRAM access") {
  Path path;
  const cache::Params l1 = cache::Params::l1_data(8), l2 = cache::Params::l2();
  const interconnect::CrossbarParams bus;
  const main_memory::Params memory;
  const coalescer::Params coalescer;
  auto& cold = path.access(tlm::TLM_READ_COMMAND, kBase + 0x1000);
  auto& other_half = path.access(tlm::TLM_READ_COMMAND, kBase + 0x1020);
  auto& warm = path.access(tlm::TLM_READ_COMMAND, kBase + 0x1000);
  path.core.at(100, cold);
  path.core.at(1000, other_half);
  path.core.at(2000, warm);
  path.bench.run();

  const Cycle hit = 1 + 1 + l1.hit_latency + coalescer.response_latency;  // coalescer tick, bank tick
  const Cycle to_l2 = 2 + l1.miss_latency + bus.request_latency + 1;  // the L2 looks one cycle later
  const Cycle from_l2 = bus.response_latency + 2 + l1.hit_latency + coalescer.response_latency;
  const main_memory::DramParams& dram = memory.dram;
  const Cycle device = cycles_of(static_cast<double>((dram.rcd + dram.cl + dram.burst) * dram.clock_ps));
  const Cycle beats = 64 / memory.port_bytes_per_cycle;
  // The L2 fills other sub-banks than it reads: the replay follows in the next cycle.
  const Cycle miss =
      l2.miss_latency + memory.request_latency + device + beats - 1 + memory.response_latency + 1;
  CHECK(path.core.done(warm) - 2000 == hit);
  CHECK(path.core.done(other_half) - 1000 == to_l2 + l2.hit_latency + from_l2);
  CHECK(path.core.done(cold) - 100 == to_l2 + miss + l2.hit_latency + from_l2);
  // Estimates (D20), with about five cycles of the core's own load/store unit added.
  CHECK(hit + 5 == 12);
  CHECK(std::abs(static_cast<int>(path.core.done(other_half) - 1000 + 5) - 40) <= 3);
  CHECK(path.core.done(cold) - 100 + 5 >= 80);
  CHECK(path.core.done(cold) - 100 + 5 <= 120);
}

TEST_CASE("an instruction fetch hit is answered hit_latency + 1 cycles after it was sent") {
  Path path;
  auto& cold = path.fetch.line(tlm::TLM_READ_COMMAND, kBase + 64, 4);
  auto& warm = path.fetch.line(tlm::TLM_READ_COMMAND, kBase + 68, 4);
  path.fetch.at(0, cold);
  path.fetch.at(500, warm);
  path.bench.run();
  CHECK(path.fetch.done(warm) == 500 + 1 + cache::Params::l1_instruction().hit_latency);
}

TEST_CASE("sixteen DMA reads in flight stream at the rate their round trip allows") {
  MemorySystem system(1);
  WarpTrafficAgent core("core", system.bench.clock);
  TrafficAgent fetch("fetch", system.bench.clock);
  core.socket.bind(system.coalescers[0]->in);
  fetch.socket.bind(system.l1i[0]->in[0]);
  testbench::StreamReader dma("reader", system.bench.clock, 16);
  dma.socket.bind(system.dma());
  system.bench.add(dma);

  constexpr unsigned kLines = 4096;  // 256 KB: half of the L2
  dma.start(kBase, kLines);
  system.bench.run();
  const double cold = 64.0 * kLines / static_cast<double>(dma.last - dma.first);
  CHECK(system.l2.stats().read_misses.value() == kLines);
  dma.start(kBase, kLines);
  system.bench.run();
  const double warm = 64.0 * kLines / static_cast<double>(dma.last - dma.first);
  CHECK(system.l2.stats().read_hits.value() == kLines);

  // 16 lines per round trip; the response channel of the bus carries 32 B per cycle.
  const interconnect::CrossbarParams bus;
  const Cycle round_trip =
      bus.request_latency + 1 + cache::Params::l2().hit_latency + bus.response_latency + 1;
  INFO("cold " << cold << " B/cycle, warm " << warm << " B/cycle");
  CHECK(warm <= std::min(32.0, 1024.0 / static_cast<double>(round_trip)) + 0.01);
  CHECK(warm >= std::min(32.0, 1024.0 / static_cast<double>(round_trip)) * 0.95);
  CHECK(cold > 10);
  CHECK(cold < 20);
}

namespace {

/// How lines are divided: `line` 0 is that of the defaults.
struct Division {
  std::uint64_t line = 0, l1_sectors = 1, l2_sectors = 1;
};

void check_random_traffic(cache::Replacement replacement, const Division& division = {}) {
  constexpr unsigned kCores = 4;
  // Small caches: evictions, write-backs, merged misses and full queues all happen.
  cache::Params l1 = cache::Params::l1_data(8), l2 = cache::Params::l2();
  l1.size_bytes = 2048;
  l1.mshrs = 4;
  l1.mshr_requests = 5;
  l2.size_bytes = 4096;
  l2.mshrs = 4;
  l2.mshr_requests = 6;
  l1.replacement = replacement;
  l2.replacement = replacement;
  coalescer::Params coalescer;
  if (division.line != 0) l1.line_bytes = l2.line_bytes = coalescer.line_bytes = division.line;
  if (division.line != 0) l1.banks = 2;
  l1.sectors = coalescer.sectors = division.l1_sectors;
  l2.sectors = division.l2_sectors;
  coalescer.sector_bytes = l1.line_bytes / l1.sectors;
  MemorySystem system(kCores, l1, l2, {}, coalescer);
  TrafficAgent fetch("fetch", system.bench.clock);
  std::vector<std::unique_ptr<RandomCore>> cores;
  std::vector<std::unique_ptr<TrafficAgent>> fetches;
  TrafficAgent dma("dma_agent", system.bench.clock);
  dma.socket.bind(system.dma());
  fetch.socket.bind(system.l1i[0]->in[0]);
  for (unsigned i = 0; i < kCores; ++i) {
    cores.push_back(std::make_unique<RandomCore>(("core_" + std::to_string(i)).c_str(), system.bench.clock, i,
                                                 kCores, 2000, 3000));
    cores[i]->socket.bind(system.coalescers[i]->in);
    system.bench.add(*cores[i]);
    cores[i]->wake_at(i);
    if (i == 0) continue;
    fetches.push_back(
        std::make_unique<TrafficAgent>(("fetch_" + std::to_string(i)).c_str(), system.bench.clock));
    fetches.back()->socket.bind(system.l1i[i]->in[0]);
  }
  system.bench.run(3'000'000);

  for (unsigned i = 0; i < kCores; ++i) {
    CHECK(cores[i]->answered == 3000);
    protocol::DirectMemory memory(system.l1d[i]->out);
    for (const auto& [address, value] : cores[i]->contents()) {
      std::uint32_t stored = 0;
      REQUIRE(memory.read(address, reinterpret_cast<unsigned char*>(&stored), 4));
      REQUIRE(stored == value);
    }
  }
  CHECK(system.idle());
  CHECK(system.bench.clock.asleep());
  // The traffic was of the kind that this test is about.
  CHECK(system.l2.stats().write_backs.value() > 100);
  CHECK(system.l2.stats().read_merged.value() + system.l2.stats().write_merged.value() > 100);
  CHECK(system.l1d[0]->stats().read_merged.value() > 10);
  CHECK(system.l1d[0]->stats().blocked_mshr.value() > 10);
  CHECK(system.l1d[0]->stats().atomics.value() > 100);
  // Each level has moved what the one above has filled or evicted, sector by sector.
  const std::uint64_t l2_sector = l2.line_bytes / l2.sectors;
  const cache::Stats& level2 = system.l2.stats();
  CHECK(system.memory.stats().bytes_written.value() ==
        (level2.write_backs.value() + level2.more_sectors_written_back.value()) * l2_sector);
  CHECK(system.memory.stats().bytes_read.value() ==
        (level2.fills.value() + level2.more_sectors_filled.value()) * l2_sector);
  std::uint64_t filled = 0;
  for (const auto& level1 : system.l1d)
    filled += (level1->stats().fills.value() + level1->stats().more_sectors_filled.value()) *
              (l1.line_bytes / l1.sectors);
  CHECK(system.bus.stats().bytes_read.value() == filled);
  if (l2.sectors == 1) CHECK(system.memory.stats().writes.value() == level2.write_backs.value());
  else CHECK(level2.more_sectors_written_back.value() < level2.write_backs.value() * (l2.sectors - 1));
  if (l1.sectors != 1) {
    const cache::Stats& level1 = system.l1d[0]->stats();
    CHECK(level1.more_sectors_filled.value() > 0);
    CHECK(level1.more_sectors_filled.value() < level1.fills.value() * (l1.sectors - 1));
  }
}

}  // namespace

TEST_CASE("random warp accesses of four cores see their own program order through all levels") {
  check_random_traffic(cache::Replacement::kLru);
}

TEST_CASE("the same holds with random replacement") { check_random_traffic(cache::Replacement::kRandom); }

TEST_CASE("the same holds with lines of 128 bytes in sectors of 32, in both levels") {
  check_random_traffic(cache::Replacement::kLru, {128, 4, 4});
}

TEST_CASE("the same holds with sectors of 16 bytes in front of whole lines") {
  check_random_traffic(cache::Replacement::kRandom, {128, 8, 1});
}

TEST_CASE("the same holds with whole lines in front of sectors of 32 bytes") {
  check_random_traffic(cache::Replacement::kRoundRobin, {64, 1, 2});
}

TEST_CASE("a reservation is broken by a store of another core and by a DMA write") {
  MemorySystem system(2);
  WarpTrafficAgent first("first", system.bench.clock), second("second", system.bench.clock);
  TrafficAgent fetch_0("fetch_0", system.bench.clock), fetch_1("fetch_1", system.bench.clock);
  TrafficAgent dma("dma_agent", system.bench.clock);
  first.socket.bind(system.coalescers[0]->in);
  second.socket.bind(system.coalescers[1]->in);
  fetch_0.socket.bind(system.l1i[0]->in[0]);
  fetch_1.socket.bind(system.l1i[1]->in[0]);
  dma.socket.bind(system.dma());
  for (base::Component* agent : std::initializer_list<base::Component*>{&first, &second, &dma})
    system.bench.add(*agent);
  const auto access = [](WarpTrafficAgent& agent, std::uint16_t core, protocol::Atomic atomic, Cycle at,
                         std::uint32_t value = 0) -> protocol::WarpPayload& {
    auto& payload = agent.warp(tlm::TLM_READ_COMMAND, 1, {kBase + 0x40});
    payload.info.origin.core = core;
    payload.info.atomic = atomic;
    payload.access.data[0] = value;
    agent.at(at, payload);
    return payload;
  };
  using protocol::Atomic;
  access(first, 0, Atomic::kLoadReserved, 0);
  auto& undisturbed = access(first, 0, Atomic::kStoreConditional, 100, 11);

  access(first, 0, Atomic::kLoadReserved, 200);
  auto& store = second.warp(tlm::TLM_WRITE_COMMAND, 1, {kBase + 0x40});
  store.access.data[0] = 11;  // the same value: only the reservation can tell
  second.at(300, store);
  // Sent in the cycle behind the store: it has not reached the L2 yet.
  auto& after_store = access(first, 0, Atomic::kStoreConditional, 301, 12);

  access(first, 0, Atomic::kLoadReserved, 400);
  auto& line = dma.line(tlm::TLM_WRITE_COMMAND, kBase + 0x40, 64);
  line.data.fill(5);
  dma.at(500, line);
  auto& after_dma = access(first, 0, Atomic::kStoreConditional, 600, 13);

  auto& others = access(second, 1, Atomic::kStoreConditional, 700, 14);
  auto& plain = first.warp(tlm::TLM_READ_COMMAND, 1, {kBase + 0x40});
  first.at(800, plain);
  system.bench.run();
  CHECK(undisturbed.access.data[0] == 0);
  CHECK(after_store.access.data[0] == 1);
  CHECK(after_dma.access.data[0] == 1);
  CHECK(others.access.data[0] == 1);
  CHECK(plain.access.data[0] == 0x05050505);  // what the DMA wrote
}

TEST_CASE("an address outside of memory comes back as an error through all levels") {
  Path path;
  auto& outside = path.core.warp(tlm::TLM_READ_COMMAND, 0x3, {0x1000, 0x2000});
  auto& fetch = path.fetch.line(tlm::TLM_READ_COMMAND, 0x3000, 4);
  auto& good = path.access(tlm::TLM_READ_COMMAND, kBase);
  path.core.at(0, outside);
  path.core.at(1, good);
  path.fetch.at(0, fetch);
  path.bench.run();
  CHECK(outside.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(fetch.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(good.is_response_ok());
  CHECK(path.idle());
}

TEST_CASE("debug access reaches memory from every level without time") {
  Path path;
  auto& write = path.dma_agent.line(tlm::TLM_WRITE_COMMAND, kBase + 0x100, 4);
  write.data = {1, 2, 3, 4};
  CHECK(path.dma_agent.socket->transport_dbg(write) == 4);
  auto& fetch = path.fetch.line(tlm::TLM_READ_COMMAND, kBase + 0x100, 4);
  CHECK(path.fetch.socket->transport_dbg(fetch) == 4);
  CHECK(fetch.data[3] == 4);
  auto& load = path.core.line(tlm::TLM_READ_COMMAND, kBase + 0x100, 4);
  CHECK(path.core.socket->transport_dbg(load) == 4);
  CHECK(load.data[2] == 3);
  CHECK(path.bench.clock.asleep());
}

namespace {

/// Runs the same traffic in a process of its own and returns what its statistics say.
std::string statistics_of_a_run(unsigned cycles_before_reset) {
  return testbench::apart([cycles_before_reset] {
    MemorySystem system(2);
    TrafficAgent fetch_0("fetch_0", system.bench.clock), fetch_1("fetch_1", system.bench.clock);
    TrafficAgent dma("dma_agent", system.bench.clock);
    fetch_0.socket.bind(system.l1i[0]->in[0]);
    fetch_1.socket.bind(system.l1i[1]->in[0]);
    dma.socket.bind(system.dma());
    RandomCore first("first", system.bench.clock, 0, 2, 500, 400);
    RandomCore second("second", system.bench.clock, 1, 2, 500, 400);
    first.socket.bind(system.coalescers[0]->in);
    second.socket.bind(system.coalescers[1]->in);
    system.bench.add(first);
    system.bench.add(second);
    first.wake_at(0);
    second.wake_at(0);
    std::ostringstream out;
    if (cycles_before_reset != 0) {
      system.bench.run_for(cycles_before_reset);
      out << (system.idle() ? "idle " : "busy ");
      first.reset();
      second.reset();
      system.reset();
      out << (system.idle() ? "idle " : "busy ") << first.idle();
      system.bench.run_for(1000);
      out << (system.bench.clock.asleep() ? " asleep" : " awake");
    } else {
      system.bench.run();
      out << first.last << ' ' << second.last << '\n';
      for (base::StatGroup* group : {static_cast<base::StatGroup*>(&system.l2.stats()),
                                     static_cast<base::StatGroup*>(&system.bus.stats()),
                                     static_cast<base::StatGroup*>(&system.memory.stats()),
                                     static_cast<base::StatGroup*>(&system.l1d[0]->stats()),
                                     static_cast<base::StatGroup*>(&system.coalescers[1]->stats())})
        for (const auto& entry : group->counters()) out << entry.name << ' ' << entry.counter.value() << '\n';
    }
    return out.str();
  });
}

}  // namespace

TEST_CASE("the same traffic gives the same cycles and statistics") {
  const std::string first = statistics_of_a_run(0);
  CHECK(first.size() > 500);
  CHECK(statistics_of_a_run(0) == first);
}

TEST_CASE("a reset in the middle of traffic leaves the whole path idle") {
  for (const unsigned cycles : {10u, 37u, 150u, 400u})
    CHECK(statistics_of_a_run(cycles) == "busy idle 1 asleep");
}
