// SPDX-License-Identifier: Apache-2.0
// What a barrier, wspawn and the end of a warp wait for: the memory accesses of their warp
// (core.barrier_waits_for_memory).

#include "testbenches/block/simt_core/core_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;

namespace {

constexpr std::uint32_t kId = 0;  // register x0: barrier 0

/// One warp, whose turn it always is at the special-function unit.
simt_core::Params one_warp() {
  simt_core::Params p;
  p.warps = 1;
  return p;
}
simt_core::Params without_waiting() {
  simt_core::Params p;
  p.barrier_waits_for_memory = false;
  return p;
}

/// From the cycle in which the last access is done to the request at the synchronizer: the barrier issues in that
/// very cycle, passes the operand stage, and the core asks.
Cycle barrier_path(const simt_core::Params& p) { return p.operand_latency + p.barrier_request_latency; }

/// x4: an address in global memory, x5: in shared memory, x6: of a peripheral register, x1 = 1.
std::vector<std::uint32_t> program(std::initializer_list<std::uint32_t> body) {
  std::vector<std::uint32_t> words = {lui(4, 0x90000), lui(5, 0xFF000), lui(6, 0xFF010), addi(1, 0, 1)};
  words.insert(words.end(), body);
  words.insert(words.end(), {bar(kId, 1), tmc(0)});
  return words;
}

}  // namespace

TEST_CASE(
    "a barrier waits until the last store of its warp to global memory is acknowledged, no cycle longer") {
  CoreBench bench(one_warp());
  bench.run_program(program({sw(4, 4, 0), sw(4, 4, 4)}));
  REQUIRE(bench.barrier.cycles.size() == 1);
  CHECK(bench.barrier.cycles[0] ==
        bench.global.arrivals.back() + CoreBench::kGlobalLatency + barrier_path(bench.params));
}

TEST_CASE("a barrier waits for a store to shared memory") {
  CoreBench bench(one_warp());
  bench.run_program(program({sw(4, 5, 0), sw(4, 5, 4), sw(4, 5, 8)}));
  CHECK(bench.shared.words[0xFF00'0008] == 0x9000'0000);
  REQUIRE(bench.barrier.cycles.size() == 1);
  CHECK(bench.barrier.cycles[0] >= bench.shared.arrivals.back() + CoreBench::kSharedLatency);
}

TEST_CASE("a barrier waits for a load whose value is not used") {
  CoreBench bench(one_warp());
  bench.run_program(program({lw(7, 4, 0)}));
  REQUIRE(bench.barrier.cycles.size() == 1);
  CHECK(bench.barrier.cycles[0] ==
        bench.global.arrivals[0] + CoreBench::kGlobalLatency + barrier_path(bench.params));
}

TEST_CASE("a barrier waits for every lane of a store to a peripheral") {
  CoreBench bench(one_warp());
  bench.run_program({addi(1, 0, 0x0F), tmc(1), csrrs(2, 0xCC0, 0), slli(3, 2, 2), lui(4, 0xFF010),
                     add(4, 4, 3), addi(1, 0, 1), sw(2, 4, 0), bar(kId, 1), tmc(0)});
  REQUIRE(bench.barrier.cycles.size() == 1);
  REQUIRE(bench.peripheral.seen().size() == 4);
  CHECK(bench.barrier.cycles[0] >= bench.peripheral.seen()[3].cycle + 3 + barrier_path(bench.params));
}

TEST_CASE("a barrier waits for the fence in front of it, and a fence for the stores of the core") {
  CoreBench bench(one_warp());
  bench.run_program(program({sw(4, 4, 0), fence()}));
  REQUIRE(bench.barrier.cycles.size() == 1);
  const Cycle acknowledged = bench.global.arrivals[0] + CoreBench::kGlobalLatency;
  CHECK(bench.barrier.cycles[0] ==
        acknowledged + bench.params.load_store.fence_latency + barrier_path(bench.params));
}

TEST_CASE("without barrier_waits_for_memory a barrier passes the stores and the fence of its warp") {
  CoreBench bench(without_waiting());
  bench.run_program(program({sw(4, 4, 0), fence()}));
  REQUIRE(bench.barrier.cycles.size() == 1);
  CHECK(bench.barrier.cycles[0] < bench.global.arrivals[0] + CoreBench::kGlobalLatency);
}

TEST_CASE("a barrier does not wait for the memory accesses of other warps") {
  CoreBench bench;
  // Warp 0 loads and ends, warp 1 goes to the barrier (count 1) at once.
  bench.run_program({addi(5, 0, 2), lui(6, CoreBench::kCode >> 12), addi(6, 6, 16), wspawn(5, 6),
                     csrrs(7, 0xCC1, 0), lui(4, 0x90000), addi(1, 0, 1), bne(7, 0, 12), lw(8, 4, 0), tmc(0),
                     bar(kId, 1), tmc(0)});
  REQUIRE(bench.barrier.cycles.size() == 1);
  REQUIRE(bench.global.arrivals.size() == 1);
  CHECK(bench.barrier.cycles[0] < bench.global.arrivals[0] + CoreBench::kGlobalLatency);
}

namespace {

/// A warp stores and starts another one: cycles from the store's acknowledge to the other's first fetch.
int start_behind_acknowledge(const simt_core::Params& p) {
  CoreBench bench(p);
  bench.run_program({lui(4, 0x90000), addi(5, 0, 2), lui(6, CoreBench::kCode >> 12), addi(6, 6, 28),
                     sw(4, 4, 0), wspawn(5, 6), tmc(0), tmc(0)});
  const Cycle acknowledged = bench.global.arrivals.at(0) + CoreBench::kGlobalLatency;
  for (const MemoryStub::Seen& seen : bench.instructions.seen())
    if (seen.address == CoreBench::kCode + 28)
      return static_cast<int>(seen.cycle) - static_cast<int>(acknowledged);
  FAIL("the warp was not started");
  return 0;
}

/// A warp stores and ends: whether it still runs when the store is acknowledged.
bool runs_until_acknowledge(const simt_core::Params& p) {
  CoreBench bench(p);
  bench.run_program({lui(4, 0x90000), sw(4, 4, 0), tmc(0)}, 1);
  while (bench.core.running_warps() != 0) bench.run(1);
  const Cycle ended = bench.clock.now();
  bench.run();
  return ended >= bench.global.arrivals.at(0) + CoreBench::kGlobalLatency;
}

}  // namespace

TEST_CASE("wspawn starts warps when the stores of its warp have taken effect") {
  CHECK(start_behind_acknowledge({}) > 0);
}
TEST_CASE("without barrier_waits_for_memory wspawn does not wait for stores") {
  CHECK(start_behind_acknowledge(without_waiting()) < 0);
}
TEST_CASE("a warp ends when its stores have taken effect") { CHECK(runs_until_acknowledge({})); }
TEST_CASE("without barrier_waits_for_memory a warp ends before its stores have taken effect") {
  CHECK(!runs_until_acknowledge(without_waiting()));
}
