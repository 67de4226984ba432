// SPDX-License-Identifier: Apache-2.0
// What tensor instructions compute in a core, and how they get along with everything else.
#include <sstream>

#include "testbenches/block/simt_core/wmma_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;
using simt_core::IssueReason;

namespace {

void check_all_warps(tensor_core::Operand operand, WmmaMode mode) {
  tensor_core::TensorCoreParams t;
  t.operand = operand;
  WmmaBench bench(t);
  std::mt19937 random(11);
  FragmentRegisters expected[8];
  for (unsigned warp = 0; warp < 8; ++warp) {
    expected[warp] = random_fragments(random, mode == WmmaMode::kFp16, warp % 2 == 1);
    bench.set_fragments(warp, expected[warp]);
    for (const unsigned bank : {0u, 1u, 1u, 0u}) wmma_reference(expected[warp], mode, bank);
  }
  bench.run_program(on_all_warps({kWmma0, kWmma1, kWmma1, kWmma0}));
  CHECK(bench.faults.faults.empty());
  for (unsigned warp = 0; warp < 8; ++warp) {
    CAPTURE(warp);
    CHECK(bench.fragments(warp) == expected[warp]);
  }
  CHECK(bench.core.idle());
  CHECK(bench.tensor.idle());
}

}  // namespace

TEST_CASE("wmmas of eight warps on both accumulators equal the scalar model, FP32 v1") {
  check_all_warps(tensor_core::Operand::kFp32V1, WmmaMode::kFp32V1);
}
TEST_CASE("wmmas of eight warps on both accumulators equal the scalar model, FP32") {
  check_all_warps(tensor_core::Operand::kFp32, WmmaMode::kFp32);
}
TEST_CASE("wmmas of eight warps on both accumulators equal the scalar model, FP16") {
  check_all_warps(tensor_core::Operand::kFp16, WmmaMode::kFp16);
}

TEST_CASE("inactive lanes lend their operands and keep their accumulators") {
  WmmaBench bench;
  std::mt19937 random(3);
  const FragmentRegisters before = random_fragments(random, false, false);
  FragmentRegisters all = before;
  wmma_reference(all, WmmaMode::kFp32V1, 0);
  bench.set_fragments(0, before);
  bench.run_program({addi(1, 0, 0x5A), tmc(1), kWmma0, tmc(0)});
  const FragmentRegisters after = bench.fragments(0);
  for (unsigned reg = 0; reg < 32; ++reg)
    for (unsigned lane = 0; lane < 8; ++lane)
      CHECK(after[reg][lane] == ((0x5A >> lane & 1) != 0 ? all : before)[reg][lane]);
}

TEST_CASE("a wmma counts as one instruction, its register accesses count per micro-op") {
  WmmaBench bench;
  // minstret before and after: the first CSR instruction and the wmma commit in between
  bench.run_program(on_one_warp({csrrs(5, 0xB02, 0), kWmma0, csrrs(6, 0xB02, 0)}));
  CHECK(bench.x(6) - bench.x(5) == 8 + 8);
  const auto& stats = bench.core.stats();
  CHECK(stats.tensor.value() == 1);
  CHECK(stats.warp_instructions.value() == 2 + 3 + 1);
  // addi, two CSR reads write a register; addi and tmc read one (x0 is none)
  CHECK(stats.register_writes.value() == 3 + 32);
  CHECK(stats.register_reads.value() == 1 + 3 * 32);
  CHECK(bench.tensor.stats().instructions.value() == 1);
  CHECK(bench.tensor.stats().step_pairs.value() == 16);
  CHECK(bench.tensor.stats().macs.value() == 8 * 8 * 8);
  CHECK(bench.tensor.stats().result_rows.value() == 32);
}

TEST_CASE("instructions after a wmma may overwrite its operands without changing its result") {
  WmmaBench bench;
  std::mt19937 random(5);
  FragmentRegisters expected = random_fragments(random, false, false);
  bench.set_fragments(0, expected);
  wmma_reference(expected, WmmaMode::kFp32V1, 0);
  std::vector<std::uint32_t> body = {kWmma0};
  for (u32 reg = 0; reg < 16; ++reg) body.push_back(r_type(0x53, 0, 0x78, reg, 0, 0));  // fmv.w.x f, x0
  bench.run_program(on_one_warp(body));
  for (unsigned reg = 0; reg < 16; ++reg) expected[reg].fill(0);
  CHECK(bench.fragments(0) == expected);
}

TEST_CASE("a warp that is respawned in the middle of a wmma finishes it first") {
  WmmaBench bench;
  std::mt19937 random(5);
  FragmentRegisters f = random_fragments(random, false, false);
  bench.set_fragments(1, f);
  // Warp 0 spawns warp 1 at +28 (wmma with lane 0), waits a little, and redirects it to +36 (end).
  std::vector<std::uint32_t> program = {addi(5, 0, 2),  lui(6, CoreBench::kCode >> 12),
                                        addi(7, 6, 36), addi(6, 6, 28),
                                        wspawn(5, 6),   wspawn(5, 7),
                                        tmc(0),         kWmma0,
                                        addi(9, 0, 1),  tmc(0)};
  bench.run_program(program);
  for (const protocol::GuestFault& fault : bench.faults.faults)  // of one lane, and of the restart
    CHECK(fault.severity == protocol::Severity::kWarning);
  FragmentRegisters expected = f;
  wmma_reference(expected, WmmaMode::kFp32V1, 0);
  // The wmma had begun (this is what the test is about) and the addi after it was dropped.
  REQUIRE(bench.probe.issued.size() == 32);
  CHECK(bench.x(9, 0, 1) == 0);
  for (unsigned reg = 16; reg < 24; ++reg) CHECK(bench.fragments(1)[reg][0] == expected[reg][0]);
  CHECK(bench.core.idle());
  CHECK(bench.tensor.idle());
}

TEST_CASE("reset in the middle of a wmma gives the freshly built state") {
  WmmaBench bench;
  std::mt19937 random(9);
  const FragmentRegisters before = random_fragments(random, false, false);
  FragmentRegisters expected = before;
  wmma_reference(expected, WmmaMode::kFp32V1, 0);
  bench.set_fragments(0, before);
  const auto program = on_one_warp({kWmma0});
  for (std::size_t i = 0; i < program.size(); ++i)
    bench.instructions.set_word(CoreBench::kCode + 4 * i, program[i]);
  bench.core.launch(CoreBench::kCode);
  while (bench.probe.results.size() < 9) bench.run_for(1);
  CHECK_FALSE(bench.core.idle());
  CHECK_FALSE(bench.tensor.idle());
  bench.reset_all();
  CHECK(bench.core.idle());
  CHECK(bench.tensor.idle());
  CHECK(bench.clock.now() > 0);
  bench.probe.results.clear();
  bench.set_fragments(0, before);
  bench.core.launch(CoreBench::kCode);
  bench.run();
  CHECK(bench.probe.results.size() == 32);
  CHECK(bench.fragments(0) == expected);
}

TEST_CASE("without a tensor core a wmma is an illegal instruction") {
  CoreBench bench;
  bench.run_program(on_one_warp({kWmma0}));
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].kind == protocol::FaultKind::kIllegalInstruction);
  CHECK(bench.faults.faults[0].detail == "this configuration has no tensor core");
}

TEST_CASE("the state of a stuck tensor core names its warps and instructions") {
  WmmaBench bench;
  const auto program = on_one_warp({kWmma0});
  for (std::size_t i = 0; i < program.size(); ++i)
    bench.instructions.set_word(CoreBench::kCode + 4 * i, program[i]);
  bench.core.launch(CoreBench::kCode);
  while (bench.probe.issued.size() < 4) bench.run_for(1);
  std::ostringstream out;
  bench.tensor.dump_state(out);
  CHECK(out.str().find("warp 0: pc 0x80000008") != std::string::npos);
}
