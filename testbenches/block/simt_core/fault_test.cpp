// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/simt_core/core_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;
using protocol::FaultKind;
using protocol::Severity;

namespace {

/// Runs a program that must fault and returns the report.
protocol::GuestFault fault_of(CoreBench& bench, const std::vector<std::uint32_t>& program) {
  bench.run_program(program);
  REQUIRE(bench.faults.faults.size() == 1);
  return bench.faults.faults.front();
}

}  // namespace

TEST_CASE("an illegal instruction is reported with its address and word") {
  CoreBench bench;
  const auto fault = fault_of(bench, {addi(1, 0, 1), 0xFFFF'FFFF, addi(2, 0, 1)});
  CHECK(fault.kind == FaultKind::kIllegalInstruction);
  CHECK(fault.severity == Severity::kFault);
  CHECK(fault.origin.pc == CoreBench::kCode + 4);
  CHECK(fault.instruction == 0xFFFF'FFFF);
  CHECK(bench.x(2) == 0);  // nothing after it ran
}

TEST_CASE("a misaligned access is reported before it has any effect") {
  CoreBench bench;
  const auto fault = fault_of(bench, {lui(4, 0x90000), addi(4, 4, 2), sw(4, 4, 0), tmc(0)});
  CHECK(fault.kind == FaultKind::kMisalignedAccess);
  CHECK(fault.address == 0x9000'0002);
  CHECK(bench.global.requests == 0);
}

TEST_CASE("an access to nowhere names its address") {
  CoreBench bench;
  const auto fault = fault_of(bench, {lui(4, 0x10000), lw(5, 4, 8), tmc(0)});
  CHECK(fault.kind == FaultKind::kUnmappedAccess);
  CHECK(fault.address == 0x1000'0008);
}

TEST_CASE("the hole after shared memory shadows the memory below it") {
  CoreBench bench;
  CHECK(fault_of(bench, {lui(4, 0xFF018), lw(5, 4, 0), tmc(0)}).kind == FaultKind::kUnmappedAccess);
}

TEST_CASE("fetching from shared memory is a fault") {
  CoreBench bench;
  const auto fault = fault_of(bench, {lui(4, 0xFF000), jalr(0, 4, 0)});
  CHECK(fault.kind == FaultKind::kUnmappedFetch);
  CHECK(fault.address == CoreBench::kShared);
}

TEST_CASE("a jump to an odd half-word is a fault at the jump") {
  CoreBench bench;
  const auto fault = fault_of(bench, {lui(4, 0x80000), jalr(0, 4, 6)});
  CHECK(fault.kind == FaultKind::kMisalignedFetch);
  CHECK(fault.origin.pc == CoreBench::kCode + 4);
}

TEST_CASE("ecall ends the run") {
  CoreBench bench;
  CHECK(fault_of(bench, {ecall()}).kind == FaultKind::kEnvironmentCall);
}

TEST_CASE("ebreak ends the run") {
  CoreBench bench;
  CHECK(fault_of(bench, {ebreak()}).kind == FaultKind::kBreakpoint);
}

TEST_CASE("a branch whose lanes disagree outside a split is a fault") {
  CoreBench bench;
  const auto fault =
      fault_of(bench, {addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0), bne(2, 0, 8), addi(3, 0, 1), tmc(0)});
  CHECK(fault.kind == FaultKind::kDivergentBranch);
  CHECK(fault.origin.lanes == 0xFF);
}

TEST_CASE("an indirect jump whose lanes disagree is a fault") {
  CoreBench bench;
  const auto fault = fault_of(bench, {addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0), slli(2, 2, 2),
                                      lui(3, 0x80000), add(3, 3, 2), jalr(0, 3, 0)});
  CHECK(fault.kind == FaultKind::kDivergentBranch);
}

TEST_CASE("with warn the highest lane decides and each pc is reported once") {
  simt_core::Params params;
  params.divergence = simt_core::Divergence::kWarn;
  CoreBench bench(params);
  // twice over the same divergent branch; lane 7 takes it
  bench.run_program({addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0), addi(5, 0, 2), bne(2, 0, 8), addi(3, 0, 1),
                     addi(5, 5, -1), bne(5, 0, -12), tmc(0)});
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].severity == Severity::kWarning);
  CHECK(bench.x(3, 0) == 0);
  CHECK(bench.core.running_warps() == 0);
}

TEST_CASE("a join without a split is a fault") {
  CoreBench bench;
  CHECK(fault_of(bench, {addi(1, 0, 1), join(1), tmc(0)}).kind == FaultKind::kJoinWithoutSplit);
}

TEST_CASE("one divergent split too many overflows the stack") {
  simt_core::Params shallow;
  shallow.simt_stack_depth = 6;
  CoreBench bench(shallow);
  std::vector<std::uint32_t> program = {addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0)};
  for (int i = 7; i >= 1; --i) {  // lane < 7, < 6, ...: each split diverges
    program.push_back(i_type(0x13, 2, 3, 2, i));
    program.push_back(split(4, 3));
  }
  CHECK(fault_of(bench, program).kind == FaultKind::kSimtStackOverflow);
}

TEST_CASE("ending a warp inside a split is a note, not a fault") {
  CoreBench bench;
  bench.run_program(
      {addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0), i_type(0x13, 7, 3, 2, 1), split(4, 3), tmc(0)});
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].severity == Severity::kNote);
  CHECK(bench.core.running_warps() == 0);
}

TEST_CASE("a reserved rounding mode is an illegal instruction") {
  CoreBench bench;
  const u32 word = r_type(0x53, 5, 0, 1, 2, 3);  // fadd.s with rm = 5
  CHECK(fault_of(bench, {word}).kind == FaultKind::kIllegalInstruction);
}
