// SPDX-License-Identifier: Apache-2.0
// A warp's control flow is a policy: the same core with another one.
#include <catch2/catch.hpp>

#include "models/isa/min_pc.h"
#include "testbenches/block/simt_core/core_bench.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;

namespace {

/// All lanes count in x6 down from their number plus one; those whose number is odd add 100 to x7, the others 1.
std::vector<std::uint32_t> divergent_program() {
  return {
      addi(5, 0, -1),
      tmc(5),
      csrrs(5, 0xCC0, 0),  // lane
      addi(6, 5, 1),
      addi(7, 0, 0),
      // each turn:
      addi(7, 7, 1),
      addi(6, 6, -1),
      bne(6, 0, -8),  // lanes leave the loop one by one
      slli(8, 5, 31),  // odd: not 0
      beq(8, 0, 8),
      addi(7, 7, 100),
      add(9, 7, 7),
      tmc(0),
  };
}

}  // namespace

TEST_CASE("lanes that disagree at a branch are a fault of the program where splits part them") {
  CoreBench bench;
  bench.run_program(divergent_program());
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].kind == protocol::FaultKind::kDivergentBranch);
}

TEST_CASE("with the smallest pc first, lanes part and meet again at any branch") {
  CoreBench bench({}, true, isa::MinPc::make);
  bench.run_program(divergent_program());
  CHECK(bench.faults.faults.empty());
  for (unsigned lane = 0; lane < 8; ++lane) {
    const std::uint32_t turns = lane + 1 + (lane % 2 != 0 ? 100 : 0);
    CHECK(bench.x(7, lane) == turns);
    CHECK(bench.x(9, lane) == 2 * turns);
  }
  CHECK(bench.core.warp(0).mask() == 0);
  // All lanes were together again: 5 before the loop, 8 turns of 3, 2 that decide, 1 for odd lanes, 2 at the end.
  CHECK(bench.core.stats().warp_instructions.value() == 5 + 8 * 3 + 2 + 1 + 2);
}

TEST_CASE("warp control while lanes wait elsewhere is a fault of the program") {
  CoreBench bench({}, true, isa::MinPc::make);
  bench.run_program(
      {addi(5, 0, -1), tmc(5), csrrs(5, 0xCC0, 0), beq(5, 0, 12), tmc(0), addi(0, 0, 0), tmc(0)});
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].detail.find("wait at another instruction") != std::string::npos);
}
