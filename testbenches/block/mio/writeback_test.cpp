// SPDX-License-Identifier: Apache-2.0
// The write-back ports of the load/store units. Without one an answer comes 11 cycles after its access does: see mio_test.
#include <random>

#include "testbenches/block/mio/mio_bench.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::base::kNever;
using spica::mio::Units;

namespace {

/// Paths with different parameters, next to each other in one bench.
struct Paths {
  Path& add(const MioParams& params) {
    all.push_back(std::make_unique<Path>(bench, params, 64, 64, "_" + std::to_string(all.size())));
    return *all.back();
  }
  Bench bench;
  std::vector<std::unique_ptr<Path>> all;
};

constexpr std::uint32_t kHit = 0x2000, kMissed = PathMemory::kMissed;

MioParams with_port(std::uint64_t cores, std::uint64_t banks = 2, std::uint64_t registers = 1) {
  MioParams params = params_of(cores);
  params.writeback.present = true;
  params.writeback.banks = banks;
  params.writeback.registers_per_answer = registers;
  return params;
}

std::uint64_t counter(Path& path, std::string_view name) {
  for (const spica::base::StatGroup::Entry& entry : path.dut.stats().counters())
    if (entry.name == name) return entry.counter.value();
  throw std::logic_error("no such counter");
}

std::uint64_t account(Path& path, std::string_view name, std::string_view reason) {
  path.dut.settle_stats();
  for (const spica::base::CycleAccount& one : path.dut.stats().accounts())
    if (one.name() == name)
      for (std::size_t i = 0; i < one.size(); ++i)
        if (one.reason(i) == reason) return one.cycles(i);
  throw std::logic_error("no such account");
}

}  // namespace

TEST_CASE("missed loads leave the port one per 128 bytes / sector * ceil(registers / banks) cycles") {
  struct Row {
    unsigned banks, registers, sector, cycles;
    Path* path = nullptr;
    std::vector<WarpPayload*> loads = {};
  };
  std::vector<Row> rows{{2, 1, 32, 4}, {4, 1, 32, 4}, {2, 4, 32, 8},
                        {4, 4, 32, 4}, {2, 4, 64, 4}, {1, 8, 128, 8}};
  Paths paths;
  for (Row& row : rows) {
    MioParams params = with_port(1, row.banks, row.registers);
    params.writeback.sector = row.sector;
    row.path = &paths.add(params);
    for (int i = 0; i < 6; ++i) row.loads.push_back(&row.path->load(0, 5, kMissed, true));
  }
  paths.bench.run();
  for (const Row& row : rows) {
    for (unsigned i = 0; i < 6; ++i)
      CHECK(row.path->core(0, true).done(*row.loads[i]) + 1 == 16 + (i + 1) * row.cycles);
    CHECK(counter(*row.path, "writeback_cycles") == 6 * row.cycles);
    CHECK(account(*row.path, "writeback", "global") == 6 * row.cycles);
    CHECK(counter(*row.path, "writeback_shared_waits") == 0);
    // From the second answer, in cycle 17, until the last load has begun.
    CHECK(counter(*row.path, "writeback_global_waits") == 5 * row.cycles - 1);
  }
}

TEST_CASE("an answer of shared memory that finds the port idle is not later than without one") {
  Bench bench;
  Path path(bench, with_port(2));
  WarpPayload& load = path.load(0, 5, 0x0);
  WarpPayload& other = path.load(1, 20, 0x0);
  bench.run();
  CHECK(path.core(0).done(load) == 16);
  CHECK(path.core(1).done(other) == 31);
  CHECK(account(path, "writeback", "shared") == 2);
  CHECK(path.dut.idle());
}

TEST_CASE(
    "loads that hit, stores and asynchronous copies pass a busy port, with `hits` only the latter two") {
  Paths paths;
  struct Loads {
    WarpPayload *missed, *hit, *store, *copy;
  };
  std::vector<Loads> of;
  for (const bool hits : {false, true}) {
    MioParams params = with_port(1);
    params.writeback.hits = hits;
    Path& path = paths.add(params);
    of.push_back({&path.load(0, 5, kMissed, true), &path.load(0, 6, kHit, true), &path.store(0, 7, 0x0),
                  &path.load(0, 8, kMissed, true)});
    of.back().copy->access.copy = true;
  }
  paths.bench.run();
  for (const bool hits : {false, true}) {
    Path& path = *paths.all[hits ? 1 : 0];
    const Loads& loads = of[hits ? 1 : 0];
    CHECK(path.core(0, true).done(*loads.missed) == 19);
    CHECK(path.core(0, true).done(*loads.hit) == (hits ? 23 : 17));
    CHECK(path.core(0).done(*loads.store) == 18);
    CHECK(path.core(0, true).done(*loads.copy) == 19);
  }
}

TEST_CASE("an atomic of global memory writes its register once for each sector of its lanes") {
  Bench bench;
  Path path(bench, with_port(1));
  WarpPayload& atomic = path.load(0, 5, kHit, true, 64);  // 32 sectors, eight cycles of the path
  atomic.info.atomic = spica::protocol::Atomic::kAdd;
  bench.run();
  CHECK(path.core(0, true).done(atomic) == 16 + 31);
}

TEST_CASE("each of two full units has a port of its own") {
  Paths paths;
  std::vector<WarpPayload*> loads[2];
  for (const bool two : {false, true}) {
    MioParams params = with_port(2, 2, 4);
    if (two) params.units = Units::kFullAndFull;
    Path& path = paths.add(params);
    for (int i = 0; i < 4; ++i)
      for (unsigned core = 0; core < 2; ++core)
        loads[two ? 1 : 0].push_back(&path.load(core, 5, kMissed, true));
  }
  paths.bench.run();
  for (const unsigned two : {0u, 1u}) {
    Cycle last = 0;
    for (unsigned i = 0; i < 8; ++i)
      last = std::max(last, paths.all[two]->core(i % 2, true).done(*loads[two][i]));
    CHECK(last + 1 == 16 + (two != 0 ? 4 : 8) * 8);
    CHECK(counter(*paths.all[two], "writeback_cycles") == 8 * 8);
  }
}

TEST_CASE("shared memory and missed loads have the port in turn, so neither waits for all of the other") {
  Bench bench;
  Path path(bench, with_port(2, 2, 4));  // a sector takes two cycles
  WarpPayload& missed = path.load(0, 5, kMissed, true);
  std::vector<WarpPayload*> shared;
  for (std::uint32_t i = 0; i < 3; ++i) {
    shared.push_back(&path.load(1, 6, 0x0));
    shared.back()->info.origin.pc = 4 * i;
  }
  bench.run();
  // Shared memory answers in 17, 18, 19. Sectors: 16 and 17, 19 and 20, 22 and 23, 25 and 26.
  CHECK(path.core(1).done(*shared[0]) == 18);
  CHECK(path.core(1).done(*shared[1]) == 21);
  CHECK(path.core(1).done(*shared[2]) == 24);
  CHECK(path.core(0, true).done(missed) == 26);
  CHECK(counter(path, "writeback_shared_waits") ==
        3 + 3 + 1);  // cycles 17, 19, 20, 22, 23 and those of the third
  CHECK(counter(path, "writeback_global_waits") == 3);
}

TEST_CASE(
    "with all answers of shared memory waiting, further loads wait in front of the unit, and stores do not") {
  MioParams params = with_port(1);
  params.writeback.shared_answers = 2;
  Paths paths;
  Path &path = paths.add(params), &stores = paths.add(params);
  for (Path* const each : {&path, &stores})
    for (int i = 0; i < 2; ++i) each->load(0, 5, 0x0);
  WarpPayload& third = path.load(0, 5, 0x0);
  stores.store(0, 5, 0x0);
  paths.bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 7, 16});  // the first is written in cycle 16
  CHECK(path.core(0).done(third) == 26);
  CHECK(account(path, "path", "writeback_full") == 8);
  CHECK(stores.shared.taken == std::vector<Cycle>{6, 7, 8});
}

TEST_CASE("without a port there are no counters, accounts and reasons of it") {
  Bench bench;
  Path path(bench, params_of(1));
  path.load(0, 5, kMissed, true);
  bench.run();
  CHECK_THROWS(counter(path, "writeback_cycles"));
  CHECK_THROWS(account(path, "writeback", "idle"));
  CHECK_THROWS(account(path, "path", "writeback_full"));
  CHECK(path.dut.properties().front().second == 0);
}

TEST_CASE("a reset forgets what waits for the port") {
  Bench bench;
  Path path(bench, with_port(1));
  for (int i = 0; i < 3; ++i) path.load(0, 5, kMissed, true);
  bench.run_for(18);
  CHECK_FALSE(path.dut.idle());
  for (auto& agent : path.agents) agent->reset();
  path.dut.reset();
  path.global.reset();
  CHECK(path.dut.idle());
}

TEST_CASE(
    "random accesses of four cores through any units are all answered, those of a core and memory in order") {
  std::mt19937 generator(5);
  const auto random = [&](unsigned below) { return static_cast<unsigned>(generator() % below); };
  struct Round {
    Path* path;
    MioParams params;
    std::vector<std::pair<WarpTrafficAgent*, WarpPayload*>> loads = {};
  };
  Paths paths;
  std::vector<Round> rounds;
  for (const Units units : {Units::kFull, Units::kFullAndShared, Units::kFullAndFull})
    for (int i = 0; i < 10; ++i) {
      MioParams params = with_port(4, 1u << random(3), 1 + random(4));
      params.units = units;
      params.writeback.shared_answers = 1 + random(8);
      params.writeback.banks_shared = units != Units::kFullAndShared || random(2) != 0;
      Round& round = rounds.emplace_back(Round{&paths.add(params), params});
      for (Cycle cycle = 5; cycle < 205; ++cycle)
        for (unsigned core = 0; core < 4; ++core) {
          if (random(3) != 0) continue;
          const bool global = random(2) != 0;
          WarpPayload& load = round.path->load(core, cycle, global ? kMissed : 0, global);
          load.info.origin.pc = 4 * random(4);
          round.loads.emplace_back(&round.path->core(core, global), &load);
        }
    }
  paths.bench.run();
  for (Round& round : rounds) {
    const MioParams& params = round.params;
    std::unordered_map<WarpTrafficAgent*, Cycle> last;
    std::uint64_t missed = 0;
    for (const auto& [agent, load] : round.loads) {
      const Cycle done = agent->done(*load);
      REQUIRE(done != kNever);
      // Two units of one core may overtake each other.
      if (params.units != Units::kFullAndShared) REQUIRE(last[agent] <= done);
      last[agent] = done;
      if (load->get_address() >= kMissed) ++missed;
    }
    const std::uint64_t banks = params.writeback.banks, registers = params.writeback.registers_per_answer;
    std::uint64_t busy = account(*round.path, "writeback", "global");
    if (params.units == Units::kFullAndFull) busy += account(*round.path, "writeback_1", "global");
    // With shared banks a unit finds only some of them idle.
    if (params.units != Units::kFullAndShared || !params.writeback.banks_shared)
      CHECK(busy == missed * 4 * ((registers + banks - 1) / banks));
    CHECK(round.path->dut.idle());
  }
}
