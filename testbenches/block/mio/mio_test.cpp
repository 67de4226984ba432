// SPDX-License-Identifier: Apache-2.0
#include "testbenches/block/mio/mio_bench.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;

TEST_CASE(
    "an access goes on in the cycle after it came, and its answer comes back in the cycle of the memory's") {
  Bench bench;
  Path path(bench, params_of(2));
  WarpPayload& load = path.load(1, 5, 0x0);
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6});
  CHECK(path.core(1).done(load) == 16);
  CHECK(path.dut.idle());
  CHECK(path.dut.stats().shared_accesses.value() == 1);
  CHECK(path.dut.stats().shared_bytes_read.value() == 128);
}

TEST_CASE("one access leaves per cycle, the cores in turn") {
  Bench bench;
  Path path(bench, params_of(4));
  std::vector<WarpPayload*> sent;
  for (unsigned core = 0; core < 4; ++core)
    for (int i = 0; i < 2; ++i) sent.push_back(&path.load(core, 5, 0x0));
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 7, 8, 9, 10, 11, 12, 13});
  for (unsigned core = 0; core < 4; ++core) CHECK(path.core(core).done(*sent[2 * core]) == 16 + core);
  CHECK(path.cycles("shared") == 8);
}

TEST_CASE("an access has the path for as many cycles as the memory says, whoever comes behind it") {
  Bench bench;
  Path path(bench, params_of(2));
  path.load(0, 5, 0x300);  // three passes
  path.load(1, 5, 0x2000, true);  // a whole line of global memory
  path.load(1, 6, 0x2000, true, 32);  // 32 sectors: eight cycles
  path.load(0, 6, 0x0);
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 10});
  CHECK(path.global.taken == std::vector<Cycle>{9, 11});
  CHECK(path.cycles("shared") == 2);
  CHECK(path.cycles("global") == 2);
  CHECK(path.cycles("conflict") == 2 + 7);
  CHECK(path.dut.stats().shared_passes.value() == 4);
  CHECK(path.dut.stats().global_passes.value() == 9);
}

TEST_CASE("a path of 64 bytes per cycle takes two cycles for a whole warp") {
  Bench bench;
  MioParams params = params_of(2);
  params.bytes_per_cycle = 64;
  Path path(bench, params);
  path.load(0, 5, 0x0);
  path.load(1, 5, 0x0);
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 8});
}

TEST_CASE("while a memory holds an access nothing else has the path, and accesses of a core stay in order") {
  Bench bench;
  Path path(bench, params_of(2), 1);
  WarpPayload& first = path.load(0, 5, 0x0);
  WarpPayload& second = path.load(0, 6, 0x0);
  WarpPayload& third = path.load(1, 9, 0x2000, true);
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 16});
  CHECK(path.global.taken == std::vector<Cycle>{17});
  CHECK(path.core(0).done(first) == 16);
  CHECK(path.core(0).done(second) == 26);
  CHECK(path.core(1, true).done(third) == 27);
  CHECK(path.cycles("memory_blocked") == 9);
}

TEST_CASE("a full queue holds the core's next access at its socket, the first to come first") {
  Bench bench;
  Path path(bench, params_of(1));
  std::vector<WarpPayload*> sent;
  for (int i = 0; i < 5; ++i) sent.push_back(&path.load(0, 5, 0x400));  // four passes each
  WarpPayload& global = path.load(0, 8, 0x2000, true);
  bench.run();
  // The fourth is held from cycle 6 on, the one to global memory from 8, the fifth from 10.
  CHECK(path.core(0).accepted(*sent[1]) == 5);
  CHECK(path.core(0).accepted(*sent[2]) == 6);
  CHECK(path.core(0).accepted(*sent[3]) == 10);
  CHECK(path.core(0, true).accepted(global) == 14);
  CHECK(path.shared.taken == std::vector<Cycle>{6, 10, 14, 18, 23});
  CHECK(path.global.taken == std::vector<Cycle>{22});
  CHECK(path.core(0, true).done(global) == 32);
}

TEST_CASE("a reset forgets what waits") {
  Bench bench;
  Path path(bench, params_of(2), 1);
  for (int i = 0; i < 4; ++i) path.load(0, 5, 0x0);
  bench.run_for(8);
  CHECK_FALSE(path.dut.idle());
  for (auto& agent : path.agents) agent->reset();
  path.dut.reset();
  path.shared.reset();
  CHECK(path.dut.idle());
}

namespace {

MioParams with_units(spica::mio::Units units, std::uint64_t cores = 4) {
  MioParams params = params_of(cores);
  params.units = units;
  return params;
}

}  // namespace

TEST_CASE("of two full units each serves half of the cores, at memory ports of its own") {
  Bench bench;
  Path path(bench, with_units(spica::mio::Units::kFullAndFull));
  for (unsigned core = 0; core < 4; ++core) path.load(core, 5, 0x400);  // four passes
  path.load(3, 6, 0x2000, true);
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 10});  // cores 0 and 1
  CHECK(path.more[0]->taken == std::vector<Cycle>{6, 10});
  CHECK(path.global.taken.empty());
  CHECK(path.more[1]->taken == std::vector<Cycle>{14});
}

TEST_CASE("a unit for shared memory alone takes what the full one leaves over") {
  Bench bench;
  Path path(bench, with_units(spica::mio::Units::kFullAndShared));
  path.load(0, 5, 0x2000, true, 32);  // 32 sectors: eight cycles of the full unit
  path.load(1, 5, 0x200);
  path.load(2, 5, 0x200);
  path.load(3, 5, 0x2000, true);  // waits for the full one
  bench.run();
  CHECK(path.global.taken == std::vector<Cycle>{6, 14});
  CHECK(path.shared.taken.empty());
  CHECK(path.more[0]->taken == std::vector<Cycle>{6, 8});
}

TEST_CASE("beside a store of a core nothing of it goes through another unit") {
  Bench bench;
  Path path(bench, with_units(spica::mio::Units::kFullAndShared, 2));
  path.store(0, 5, 0x800);  // eight passes of the full unit, answered in cycle 16
  path.load(0, 6, 0x0);
  path.load(1, 6, 0x0);  // another core: the second unit
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 14});
  CHECK(path.more[0]->taken == std::vector<Cycle>{7});
}

TEST_CASE("loads of a core go through both units, and a store waits for those of the other one") {
  Bench bench;
  Path path(bench, with_units(spica::mio::Units::kFullAndShared, 1));
  path.load(0, 5, 0x800);  // eight passes of the full unit, answered in cycle 16
  path.load(0, 6, 0x0);  // the second unit
  path.store(0, 7, 0x0);  // after both: the first to be free
  bench.run();
  CHECK(path.shared.taken.front() == 6);
  CHECK(path.more[0]->taken.front() == 7);
  const Cycle stored = path.shared.taken.size() == 2 ? path.shared.taken[1] : path.more[0]->taken[1];
  CHECK(stored >= 16);
}

TEST_CASE("an access to global memory behind one that the second unit has taken goes on") {
  Bench bench;
  Path path(bench, with_units(spica::mio::Units::kFullAndShared, 2));
  path.load(0, 5, 0x400);  // four passes of the full unit
  path.load(1, 5, 0x0);  // the second unit
  WarpPayload& behind = path.load(1, 6, 0x2000, true);
  bench.run();
  CHECK(path.more[0]->taken == std::vector<Cycle>{6});
  CHECK(path.global.taken == std::vector<Cycle>{10});
  CHECK(path.core(1, true).done(behind) == 20);
}
