// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/simt_core/core_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;

TEST_CASE("lanes store to and load from their own addresses in one request") {
  CoreBench bench;
  bench.run_program({addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0), slli(3, 2, 2), lui(4, 0x90000),
                     add(4, 4, 3), addi(5, 2, 100), sw(5, 4, 16), lw(6, 4, 16), tmc(0)});
  CHECK(bench.global.requests == 2);
  for (unsigned lane = 0; lane < 8; ++lane) {
    CHECK(bench.global.words[0x9000'0010 + 4 * lane] == 100 + lane);
    CHECK(bench.x(6, lane) == 100 + lane);
  }
}

TEST_CASE("bytes are sign-extended and only their byte is written") {
  CoreBench bench;
  bench.global.words[0x9000'0000] = 0x11F2'8344;
  bench.run_program({lui(4, 0x90000), lb(5, 4, 1), i_type(0x03, 4, 6, 4, 1),  // lbu
                     i_type(0x03, 1, 7, 4, 2),                                // lh
                     addi(8, 0, 0x55), s_type(0x23, 0, 4, 8, 3), tmc(0)});    // sb
  CHECK(bench.x(5) == 0xFFFF'FF83);
  CHECK(bench.x(6) == 0x83);
  CHECK(bench.x(7) == 0x11F2);
  CHECK(bench.global.words[0x9000'0000] == 0x55F2'8344);
}

TEST_CASE("lanes of one instruction may go to global and shared memory") {
  CoreBench bench;
  bench.global.words[0x9000'0000] = 1;
  bench.shared.words[0xFF00'0000] = 2;
  // even lanes 0x90000000, odd lanes 0xFF000000
  bench.run_program({addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0), i_type(0x13, 7, 3, 2, 1), lui(4, 0x6F000),
                     mul(3, 3, 4), lui(4, 0x90000), add(4, 4, 3), lw(6, 4, 0), tmc(0)});
  CHECK(bench.faults.faults.empty());
  for (unsigned lane = 0; lane < 8; ++lane) CHECK(bench.x(6, lane) == 1 + lane % 2);
  CHECK(bench.global.requests == 1);
  CHECK(bench.shared.requests == 1);
}

TEST_CASE(
    "of lanes that all have one address lane 0 loads for all, and for itself alone where others go elsewhere") {
  simt_core::Params params;
  params.load_store.merge_duplicates = true;
  CoreBench bench(params);
  bench.global.words[0x9000'0000] = 1;
  bench.shared.words[0xFF00'0000] = 2;
  // x6: all lanes 0x90000000; x7: lane 0 there, the others 0xFF000000, which answers first
  bench.run_program({addi(1, 0, 0xFF), tmc(1), lui(4, 0x90000), lw(6, 4, 0), csrrs(2, 0xCC0, 0),
                     i_type(0x13, 3, 3, 2, 1), i_type(0x13, 4, 3, 3, 1),  // sltiu, xori
                     lui(5, 0x6F000), mul(3, 3, 5), add(4, 4, 3), lw(7, 4, 0), tmc(0)});
  CHECK(bench.faults.faults.empty());
  for (unsigned lane = 0; lane < 8; ++lane) {
    CHECK(bench.x(6, lane) == 1);
    CHECK(bench.x(7, lane) == (lane == 0 ? 1 : 2));
  }
}

TEST_CASE("peripheral accesses go lane by lane, in order") {
  CoreBench bench;
  bench.run_program({addi(1, 0, 0x0F), tmc(1), csrrs(2, 0xCC0, 0), slli(3, 2, 2), lui(4, 0xFF010),
                     add(4, 4, 3), sw(2, 4, 0), lw(5, 4, 0), tmc(0)});
  REQUIRE(bench.peripheral.seen().size() == 8);
  for (unsigned lane = 0; lane < 4; ++lane) {
    CHECK(bench.peripheral.seen()[lane].address == CoreBench::kPeripheral + 4 * lane);
    CHECK(bench.x(5, lane) == lane);
  }
}

TEST_CASE("nothing after a fence leaves before everything ahead of it is acknowledged") {
  CoreBench bench;
  bench.run_program({lui(4, 0x90000), sw(4, 4, 0), fence(), lw(5, 4, 0), tmc(0)});
  REQUIRE(bench.global.arrivals.size() == 3);
  const Cycle acknowledged = bench.global.arrivals[0] + CoreBench::kGlobalLatency;
  const auto& p = bench.params.load_store;
  CHECK(bench.global.arrivals[1] ==
        acknowledged + p.fence_latency + p.request_latency);  // what the fence becomes
  CHECK(bench.global.arrivals[2] == bench.global.arrivals[1] + 1);
}

namespace {

/// Cycles from what a fence becomes to what the next one becomes, which are answered after `latency` cycles.
Cycle from_fence_to_fence(Cycle latency) {
  CoreBench bench({}, true, isa::SimtStack::make, latency);
  // The others issue while the first one waits for a peripheral register.
  bench.run_program({lui(4, 0xFF010), lw(5, 4, 0), lw(5, 4, 4), fence(), fence(), fence(), fence(), tmc(0)});
  REQUIRE(bench.global.arrivals.size() == 4);
  for (unsigned i = 2; i < 4; ++i)
    CHECK(bench.global.arrivals[i] - bench.global.arrivals[i - 1] ==
          bench.global.arrivals[1] - bench.global.arrivals[0]);
  return bench.global.arrivals[1] - bench.global.arrivals[0];
}

void check_what_a_fence_becomes(bool merge) {
  simt_core::Params params;
  params.load_store.merge_duplicates = merge;
  CoreBench bench(params);
  bench.run_program({addi(5, 0, -1), tmc(5), fence(), tmc(0)});
  REQUIRE(bench.global.arrivals.size() == 1);
  CHECK(bench.global.timing_only == 1);
  CHECK(bench.global.lanes == (merge ? 1u : 8u));
  CHECK(bench.global.words.empty());
}

}  // namespace

// Intervals that RTL simulation measures for acknowledges after 1, 6 and 10 cycles.
TEST_CASE("a fence behind a fence comes 5 cycles later when its store is answered at once") {
  CHECK(from_fence_to_fence(1) == 5);
}
TEST_CASE("a fence behind a fence comes 10 cycles later when its store is answered after 6") {
  CHECK(from_fence_to_fence(6) == 10);
}
TEST_CASE("a fence behind a fence comes 14 cycles later when its store is answered after 10") {
  CHECK(from_fence_to_fence(10) == 14);
}

TEST_CASE("a fence goes on as a store of each lane that carries nothing") {
  check_what_a_fence_becomes(false);
}
TEST_CASE("a fence goes on as a store of one lane where equal addresses are merged") {
  check_what_a_fence_becomes(true);
}

TEST_CASE("without fence_store a fence that has nothing to wait for holds nothing up") {
  simt_core::Params params;
  params.load_store.fence_store = false;
  CoreBench bench(params);
  bench.run_program({lui(4, 0x90000), fence(), fence(), lw(5, 4, 0), tmc(0)});
  CHECK(bench.global.arrivals.size() == 1);
}

namespace {

constexpr Cycle kAnswered = 100;  // cycles after a load leaves

/// Cycles from the load of a warp, which then has a fence, to a later load of another warp.
Cycle load_past_fence(simt_core::FenceWaits waits) {
  simt_core::Params params;
  params.load_store.fence_store = false;
  params.load_store.fence_waits = waits;
  CoreBench bench(params, true, isa::SimtStack::make, kAnswered);
  bench.run_program({addi(5, 0, 2), lui(6, CoreBench::kCode >> 12), addi(6, 6, 16), wspawn(5, 6),
                     csrrs(7, 0xCC1, 0), lui(4, 0x90000), bne(7, 0, 16), lw(8, 4, 0), fence(), tmc(0),
                     addi(9, 0, 1), addi(9, 9, 1), addi(9, 9, 1), lw(8, 4, 64), tmc(0)});
  REQUIRE(bench.global.arrivals.size() == 2);
  return bench.global.arrivals[1] - bench.global.arrivals[0];
}

}  // namespace

TEST_CASE("a fence that waits for the core holds up the load of another warp") {
  CHECK(load_past_fence(simt_core::FenceWaits::kCore) > kAnswered);
}

TEST_CASE("a fence that waits for its warp holds up no other warp") {
  CHECK(load_past_fence(simt_core::FenceWaits::kWarp) < kAnswered);
}

TEST_CASE("a fence that waits for its warp waits for the loads of its warp") {
  simt_core::Params params;
  params.load_store.fence_store = false;
  params.load_store.fence_waits = simt_core::FenceWaits::kWarp;
  CoreBench bench(params);
  bench.run_program({lui(4, 0x90000), lw(5, 4, 0), fence(), lw(6, 4, 64), tmc(0)});
  REQUIRE(bench.global.arrivals.size() == 2);
  CHECK(bench.global.arrivals[1] > bench.global.arrivals[0] + CoreBench::kGlobalLatency);
}

TEST_CASE("loads overlap: as many are in flight as the core may have") {
  CoreBench bench;
  std::vector<std::uint32_t> program = {lui(4, 0x90000)};
  for (u32 i = 0; i < 16; ++i) program.push_back(lw(8 + i, 4, static_cast<int>(4 * i)));
  program.push_back(tmc(0));
  bench.run_program(program);
  const Cycle interval = CoreBench::kFetchLatency + bench.params.decode_latency;
  REQUIRE(bench.global.arrivals.size() == 16);
  // The fetch rate limits, not the 20 cycles of each load. The first one waits for its address.
  CHECK(bench.global.arrivals[15] - bench.global.arrivals[1] == 14 * interval);
}
