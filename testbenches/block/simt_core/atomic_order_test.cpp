// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/simt_core/core_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;

namespace {

constexpr u32 kAcquire = 1u << 26, kRelease = 1u << 25;

/// A store to global memory, an atomic on shared memory, a store to global memory.
void run_sequence(CoreBench& bench, u32 order) {
  bench.run_program(
      {lui(4, 0x90000), lui(5, 0xFF000), sw(4, 4, 0), amoadd(6, 5, 4) | order, sw(4, 4, 4), tmc(0)});
  REQUIRE(bench.faults.faults.empty());
  REQUIRE(bench.global.arrivals.size() == 2);
  REQUIRE(bench.shared.arrivals.size() == 1);
}

}  // namespace

TEST_CASE("a plain atomic waits for nothing") {
  CoreBench bench;
  run_sequence(bench, 0);
  CHECK(bench.shared.arrivals[0] < bench.global.arrivals[0] + CoreBench::kGlobalLatency);
  CHECK(bench.global.arrivals[1] < bench.global.arrivals[0] + CoreBench::kGlobalLatency);
}

TEST_CASE("an atomic with rl leaves when the stores before it are acknowledged") {
  CoreBench bench;
  run_sequence(bench, kRelease);
  CHECK(bench.shared.arrivals[0] >= bench.global.arrivals[0] + CoreBench::kGlobalLatency);
}

TEST_CASE("what follows an atomic with aq leaves when the atomic has answered") {
  CoreBench bench;
  run_sequence(bench, kAcquire);
  CHECK(bench.global.arrivals[1] >= bench.shared.arrivals[0] + CoreBench::kSharedLatency);
  // and after the store before it: the fence waits for everything
  CHECK(bench.global.arrivals[1] >= bench.global.arrivals[0] + CoreBench::kGlobalLatency);
}

TEST_CASE("an atomic with aq and rl returns its old value") {
  CoreBench bench;
  bench.shared.words[CoreBench::kShared] = 41;
  run_sequence(bench, kAcquire | kRelease);
  CHECK(bench.x(6) == 41);
  CHECK(bench.core.running_warps() == 0);
}
