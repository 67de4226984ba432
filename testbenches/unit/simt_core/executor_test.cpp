// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/executor.h"

#include <string>
#include <vector>

#include "models/isa/csr.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace simt_core;
namespace rv = testbench::rv;
using Kind = Effect::Kind;

namespace {

/// A core's warps and their executor, without any hardware around them.
struct ExecutorBench final : protocol::FaultIf {
  explicit ExecutorBench(const Params& p = {}) : params(p) {
    executor.connect(*this, nullptr, nullptr);
    state.launch();
    state[0].flow->tmc(0xFF);
  }
  Effect execute(std::uint32_t word, std::uint32_t pc = kPc) {
    return executor.execute({0, pc, state[0].mask(), 7}, isa::decode(word));
  }
  std::uint32_t* x(unsigned row) { return state[0].registers.row(row); }
  void set(unsigned row, std::uint32_t value) {
    for (unsigned lane = 0; lane < 8; ++lane) x(row)[lane] = value;
  }
  void report(const protocol::GuestFault& fault) override { faults.push_back(fault); }

  static constexpr std::uint32_t kPc = 0x8000'0100;
  Params params;
  CoreIdentity identity{1, 1, 4};
  protocol::AddressMap map = [] {
    protocol::AddressMap all;
    all.add({"global", 0x8000'0000, 0x1000'0000, protocol::Route::kGlobal});
    return all;
  }();
  CoreState state{params};
  PerformanceCounters performance;
  std::uint64_t lane_instructions = 0;
  Executor executor{params, identity, map, state, performance, lane_instructions};
  std::vector<protocol::GuestFault> faults;
};

}  // namespace

TEST_CASE("arithmetic continues after it, with the active lanes written") {
  ExecutorBench bench;
  bench.state[0].flow->tmc(0x0F);
  CHECK(bench.execute(rv::addi(5, 0, 12)).kind == Kind::kNext);
  CHECK(bench.x(5)[3] == 12);
  CHECK(bench.x(5)[4] == 0);
}

TEST_CASE("a branch jumps as its highest active lane says, and names lanes that disagree") {
  ExecutorBench bench;
  bench.set(5, 1);
  const Effect effect = bench.execute(rv::bne(5, 0, 16));
  CHECK(effect.kind == Kind::kJump);
  CHECK(effect.pc == ExecutorBench::kPc + 16);
  CHECK(bench.execute(rv::beq(5, 0, 16)).kind == Kind::kNext);
  bench.x(5)[2] = 0;
  const Effect divergent = bench.execute(rv::bne(5, 0, 16));
  const bool faults = bench.params.divergence == Divergence::kFault;
  CHECK(divergent.done() != faults);
  REQUIRE(bench.faults.size() == (bench.params.divergence == Divergence::kFollow ? 0 : 1));
}

TEST_CASE("split and join walk both sides, and a join without a split is a fault") {
  ExecutorBench bench;
  for (unsigned lane = 0; lane < 8; ++lane) bench.x(5)[lane] = lane % 2;
  CHECK(bench.execute(rv::split(6, 5)).kind == Kind::kNext);
  CHECK(bench.state[0].mask() == 0xAA);
  const Effect other = bench.execute(rv::join(6), ExecutorBench::kPc + 40);
  CHECK(other.kind == Kind::kJump);
  CHECK(other.pc == ExecutorBench::kPc + 4);
  CHECK(bench.state[0].mask() == 0x55);
  bench.execute(rv::split(7, 5));  // all lanes on one side: nothing to do
  CHECK(bench.execute(rv::join(6)).kind == Kind::kNext);
  CHECK(bench.state[0].mask() == 0xFF);
  bench.set(6, 1);
  CHECK(bench.execute(rv::join(6)).kind == Kind::kFault);
  REQUIRE(bench.faults.size() == 1);
  CHECK(bench.faults[0].kind == protocol::FaultKind::kJoinWithoutSplit);
  CHECK(bench.faults[0].origin.pc == ExecutorBench::kPc);
  CHECK(bench.faults[0].cycle == 7);
  CHECK(bench.state.halted_by(0));
}

TEST_CASE("warp control says what it does to other warps and to its own") {
  ExecutorBench bench;
  bench.set(5, 3);
  bench.set(6, 0x8000'2000);
  const Effect spawn = bench.execute(rv::wspawn(5, 6));
  CHECK(spawn.kind == Kind::kSpawn);
  CHECK(spawn.warps == 0b110);
  CHECK(spawn.pc == 0x8000'2000);
  bench.set(7, 1);
  const Effect barrier = bench.execute(rv::bar(5, 7));
  CHECK(barrier.kind == Kind::kBarrier);
  CHECK(barrier.complete);
  CHECK(bench.state[0].barrier_id == 3);
  const Effect end = bench.execute(rv::tmc(0));
  CHECK(end.ended);
  CHECK(bench.state.active() == 0b110);
}

TEST_CASE("a mistake goes to the warp's own handler when it has one, and has no effect") {
  ExecutorBench bench;
  CHECK(bench.execute(rv::ecall()).kind == Kind::kFault);
  CHECK(bench.faults.size() == 1);
  ExecutorBench trapping;
  trapping.set(5, 0x8000'0400);
  REQUIRE(trapping.execute(rv::csrrw(0, isa::csr::kMtvec, 5)).done());
  const Effect trap = trapping.execute(rv::ecall());
  CHECK(trap.kind == Kind::kTrap);
  CHECK(trap.pc == 0x8000'0400);
  CHECK(trapping.faults.empty());
  CHECK(trapping.state[0].machine.last_pc() == ExecutorBench::kPc);
  const Effect back = trapping.execute(0x3020'0073);  // mret
  CHECK(back.kind == Kind::kJump);
  CHECK(back.pc == ExecutorBench::kPc);
}

TEST_CASE("a stack pointer that leaves its stack is refused before it moves") {
  ExecutorBench bench;
  bench.executor.guard_stacks({0xFF00'0000, 0x2010, 0x2000, 0x8000'0000, 0x8001'0000});
  for (unsigned lane = 0; lane < 8; ++lane) bench.x(2)[lane] = bench.executor.stack_begin(0, lane) + 64;
  const isa::Instruction big = isa::decode(rv::addi(2, 2, -80)), small = isa::decode(rv::addi(2, 2, -64));
  const Executor::At at{0, ExecutorBench::kPc, 0xFF, 7};
  CHECK_FALSE(bench.executor.overflows_stack(at, small));
  CHECK(bench.executor.overflows_stack(at, big));
  const std::uint32_t before = bench.x(2)[3];
  CHECK(bench.executor.execute(at, big).kind == Kind::kFault);
  CHECK(bench.x(2)[3] == before);
  REQUIRE(bench.faults.size() == 1);
  CHECK(bench.faults[0].kind == protocol::FaultKind::kStackOverflow);
  ExecutorBench running;
  CHECK(running.execute(rv::addi(2, 2, -80)).done());  // stacks are not known
}
