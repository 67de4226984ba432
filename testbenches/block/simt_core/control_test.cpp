// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/simt_core/core_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;

TEST_CASE("a core starts with one lane of one warp and ends when the mask is empty") {
  CoreBench bench;
  bench.run_program({addi(1, 0, 7), tmc(0)});
  CHECK(bench.x(1, 0) == 7);
  CHECK(bench.x(1, 1) == 0);
  CHECK(bench.core.running_warps() == 0);
  CHECK(bench.core.idle());
}

TEST_CASE("tmc switches lanes on and lane ids differ") {
  CoreBench bench;
  bench.run_program(
      {addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0), csrrs(3, 0xF14, 0), csrrs(4, 0xCC4, 0), tmc(0)});
  for (unsigned lane = 0; lane < 8; ++lane) {
    CHECK(bench.x(2, lane) == lane);
    CHECK(bench.x(3, lane) == lane);
    CHECK(bench.x(4, lane) == 0xFF);
  }
}

TEST_CASE("split and join run both sides of a branch, each with its lanes") {
  CoreBench bench;
  // x2 = lane; lanes with odd id take the then side: x5 = 1, others x5 = 2
  bench.run_program({addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0),
                     i_type(0x13, 7, 3, 2, 1),   // andi x3, x2, 1
                     split(4, 3), beq(3, 0, 12),              // lanes with 0 go to else
                     addi(5, 0, 1), b_type(0, 0, 0, 8),         // beq x0, x0: over the else side
                     addi(5, 0, 2), join(4), addi(6, 0, 9), tmc(0)});
  CHECK(bench.faults.faults.empty());
  for (unsigned lane = 0; lane < 8; ++lane) {
    CHECK(bench.x(5, lane) == (lane % 2 == 1 ? 1u : 2u));
    CHECK(bench.x(6, lane) == 9);
  }
}

TEST_CASE("a uniform split pushes nothing and its join does nothing") {
  CoreBench bench;
  bench.run_program({addi(1, 0, 0xFF), tmc(1), addi(3, 0, 1), split(4, 3), addi(5, 0, 1), join(4), tmc(0)});
  CHECK(bench.faults.faults.empty());
  CHECK(bench.x(4, 3) == 0);
  CHECK(bench.x(5, 7) == 1);
}

TEST_CASE("pred keeps the lanes that want, or restores the mask when none does") {
  CoreBench bench;
  bench.run_program({addi(1, 0, 0xFF), tmc(1), addi(1, 0, 0xFF), csrrs(2, 0xCC0, 0),
                     i_type(0x13, 2, 3, 2, 3),  // lane < 3
                     pred(3, 1), csrrs(4, 0xCC4, 0), addi(5, 0, 0), pred(5, 1), csrrs(6, 0xCC4, 0), tmc(0)});
  CHECK(bench.x(4, 0) == 0x07);
  CHECK(bench.x(6, 7) == 0xFF);
}

TEST_CASE("wspawn starts the other warps at the given address with lane 0") {
  CoreBench bench;
  // body at +20: x7 = warp id
  bench.run_program({addi(5, 0, 8), lui(6, CoreBench::kCode >> 12), addi(6, 6, 16), wspawn(5, 6),
                     csrrs(7, 0xCC1, 0), addi(8, 7, 1), tmc(0)});
  for (unsigned warp = 0; warp < 8; ++warp) {
    CHECK(bench.x(7, 0, warp) == warp);
    CHECK(bench.x(8, 0, warp) == warp + 1);
    CHECK(bench.x(7, 1, warp) == 0);
  }
}

TEST_CASE("warps wait at a barrier until the last one of the core has arrived") {
  CoreBench bench;
  // all 8 warps: bar(2, 8), then x9 = 1
  bench.run_program({addi(5, 0, 8), lui(6, CoreBench::kCode >> 12), addi(6, 6, 16), wspawn(5, 6),
                     addi(10, 0, 2), addi(11, 0, 8), bar(10, 11), addi(9, 0, 1), tmc(0)});
  CHECK(bench.barrier.arrivals == std::vector<unsigned>{2});
  for (unsigned warp = 0; warp < 8; ++warp) CHECK(bench.x(9, 0, warp) == 1);
}

TEST_CASE("a barrier that is never released leaves the machine asleep with its warps waiting") {
  CoreBench bench;
  bench.barrier.release_at_once = false;
  bench.run_program({addi(10, 0, 3), addi(11, 0, 1), bar(10, 11), tmc(0)});
  CHECK(bench.clock.asleep());
  CHECK(bench.core.running_warps() == 1);
  CHECK(bench.core.waiting_at_barrier() == 1);
  CHECK(bench.core.describe_warp(0) == "waits at barrier 3 (1 of 1 warps of this core have arrived)");
}

TEST_CASE("a CSR write acts in program order and is read back") {
  CoreBench bench;
  bench.run_program({addi(1, 0, 0x63), csrrw(0, 0x003, 1), csrrs(2, 0x002, 0), csrrs(3, 0x001, 0), tmc(0)});
  CHECK(bench.x(2) == 3);
  CHECK(bench.x(3) == 3);
}

TEST_CASE("reset in mid-flight gives the freshly built state") {
  CoreBench bench;
  for (int i = 0; i < 3; ++i)
    bench.instructions.set_word(CoreBench::kCode + 4u * static_cast<u32>(i), addi(1, 1, 1));
  bench.instructions.set_word(CoreBench::kCode + 12, tmc(0));
  bench.core.launch(CoreBench::kCode);
  bench.run_for(9);
  CHECK_FALSE(bench.core.idle());
  for (base::Component* block : std::initializer_list<base::Component*>{
           &bench.instructions, &bench.global, &bench.shared, &bench.peripheral, &bench.core})
    block->reset();
  CHECK(bench.core.idle());
  CHECK(bench.core.running_warps() == 0);
  bench.core.launch(CoreBench::kCode);
  bench.run();
  CHECK(bench.x(1) == 3);
}
