// SPDX-License-Identifier: Apache-2.0
// A warp's control flow is a policy: the same core with another one.

#include "models/isa/min_pc.h"
#include "testbenches/block/simt_core/core_bench.h"
#include "testbenches/support/catch.h"

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

TEST_CASE("a barrier while lanes wait at another one is a fault of the program") {
  CoreBench bench({}, true, isa::MinPc::make);
  bench.run_program({addi(5, 0, -1), tmc(5), csrrs(5, 0xCC0, 0), addi(6, 0, 1), beq(5, 0, 12), bar(0, 6),
                     tmc(0), bar(6, 6), tmc(0)});
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].detail.find("wait at another instruction") != std::string::npos);
}

TEST_CASE("lanes that part end one group after the other") {
  CoreBench bench({}, true, isa::MinPc::make);
  bench.run_program({addi(5, 0, -1), tmc(5), csrrs(5, 0xCC0, 0), beq(5, 0, 12), addi(7, 0, 1), tmc(0),
                     addi(7, 0, 2), tmc(0)});
  CHECK(bench.faults.faults.empty());
  CHECK(bench.core.warp(0).mask() == 0);
  for (unsigned lane = 0; lane < 8; ++lane) CHECK(bench.x(7, lane) == (lane == 0 ? 2 : 1));
}

TEST_CASE("a group of lanes narrows and restores its own mask while others wait") {
  CoreBench bench({}, true, isa::MinPc::make);
  bench.run_program({
      addi(5, 0, -1),
      tmc(5),
      csrrs(5, 0xCC0, 0),
      addi(7, 0, 0),
      addi(8, 0, 0),
      addi(9, 0, 4),
      b_type(4, 5, 9, 24),  // blt: lanes 0 to 3 skip what 4 to 7 do, and wait
      csrrs(6, 0xCC4, 0),  // their mask
      addi(10, 0, 0x20),
      tmc(10),
      addi(7, 0, 1),  // lane 5 alone
      tmc(6),
      addi(8, 0, 1),  // all
      tmc(0),
  });
  CHECK(bench.faults.faults.empty());
  for (unsigned lane = 0; lane < 8; ++lane) {
    CHECK(bench.x(7, lane) == (lane == 5 ? 1 : 0));
    CHECK(bench.x(8, lane) == 1);
  }
}

TEST_CASE("sides of a split read their own masks where lanes part at any branch") {
  CoreBench bench({}, true, isa::MinPc::make);
  bench.run_program({
      addi(5, 0, -1),
      tmc(5),
      csrrs(5, 0xCC0, 0),
      addi(6, 0, 4),
      addi(9, 0, 1),
      b_type(4, 5, 6, 8),  // blt: lanes 0 to 3 come to the split later, or lanes 4 to 7 do
      addi(9, 0, 2),
      csrrs(10, 0xCC4, 0),
      i_type(0x13, 7, 8, 5, 1),  // andi
      split(11, 8),
      csrrs(12, 0xCC4, 0),
      join(11),
      csrrs(13, 0xCC4, 0),
      tmc(0),
  });
  CHECK(bench.faults.faults.empty());
  for (unsigned lane = 0; lane < 8; ++lane) {
    CHECK(bench.x(10, lane) == 0xFF);
    CHECK(bench.x(12, lane) == (lane % 2 != 0 ? 0xAA : 0x55));
    CHECK(bench.x(13, lane) == 0xFF);
  }
}
