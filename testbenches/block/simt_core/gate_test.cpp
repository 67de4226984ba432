// SPDX-License-Identifier: Apache-2.0
// A debugger's gate: what a warp looks like in front of it, and how it is held and let go.

#include "testbenches/block/simt_core/core_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;

namespace {

/// Lets warps pass until one stands before `hold`; notes x5 of lane 0 at each question.
class Gate final : public protocol::GateIf {
 public:
  struct Question {
    std::uint32_t pc, x5;
  };
  bool may_issue(const protocol::InstructionEvent& event) override {
    questions.push_back({event.origin.pc, event.registers.row(5)[0]});
    return event.origin.pc != hold;
  }
  std::uint32_t hold = 0;
  std::vector<Question> questions;
};

// x5 counts: each instruction needs the one before it, one of them through memory.
std::vector<std::uint32_t> counting_program() {
  return {lui(1, 0x90000), addi(5, 0, 1), addi(5, 5, 1), sw(5, 1, 0),
          lw(5, 1, 0),     addi(5, 5, 1), addi(6, 0, 9), tmc(0)};
}

}  // namespace

TEST_CASE("in front of the gate all older instructions of the warp are done") {
  CoreBench bench;
  Gate gate;
  bench.core.set_gate(&gate);
  bench.run_program(counting_program());
  REQUIRE(bench.faults.faults.empty());
  CHECK(bench.x(5) == 3);
  const std::vector<std::uint32_t> x5_before = {0, 0, 1, 2, 2, 2, 3, 3};
  REQUIRE(gate.questions.size() == x5_before.size());
  for (unsigned i = 0; i < x5_before.size(); ++i) {
    CHECK(gate.questions[i].pc == CoreBench::kCode + 4 * i);
    CHECK(gate.questions[i].x5 == x5_before[i]);
  }
}

TEST_CASE("a held warp stays before its instruction, and asks again when the gate is set anew") {
  CoreBench bench;
  Gate gate;
  gate.hold = CoreBench::kCode + 5 * 4;
  bench.core.set_gate(&gate);
  bench.run_program(counting_program());
  CHECK(bench.core.running_warps() == 1);
  CHECK(bench.core.at_rest());
  CHECK(bench.core.next_pc(0) == gate.hold);
  CHECK(bench.x(5) == 2);
  CHECK(bench.x(6) == 0);
  const std::size_t asked = gate.questions.size();

  gate.hold = 0;
  bench.core.set_gate(&gate);
  bench.run(100'000);
  CHECK(bench.core.running_warps() == 0);
  CHECK(gate.questions.size() == asked + 3);
  CHECK(bench.x(5) == 3);
  CHECK(bench.x(6) == 9);
}

TEST_CASE("a held warp can be sent elsewhere") {
  CoreBench bench;
  Gate gate;
  gate.hold = CoreBench::kCode + 2 * 4;
  bench.core.set_gate(&gate);
  bench.run_program(counting_program());
  bench.core.set_pc(0, CoreBench::kCode + 6 * 4);
  CHECK(bench.core.next_pc(0) == CoreBench::kCode + 6 * 4);
  bench.core.set_gate(nullptr);
  bench.run(100'000);
  CHECK(bench.core.running_warps() == 0);
  CHECK(bench.x(5) == 1);
  CHECK(bench.x(6) == 9);
}

TEST_CASE("a warp at a barrier is shown after the barrier and can be sent elsewhere there") {
  CoreBench bench;
  bench.barrier.release_at_once = false;
  Gate gate;
  bench.core.set_gate(&gate);
  bench.run_program({addi(1, 0, 1), bar(0, 1), addi(5, 0, 1), addi(6, 0, 9), tmc(0)});
  CHECK(bench.core.waiting_at_barrier() == 1);
  CHECK(bench.core.at_rest());
  CHECK(bench.core.next_pc(0) == CoreBench::kCode + 2 * 4);
  bench.core.set_pc(0, CoreBench::kCode + 3 * 4);
  bench.run(100);
  CHECK(bench.core.waiting_at_barrier() == 1);
  bench.core.release(0, false);
  bench.run(100'000);
  CHECK(bench.core.running_warps() == 0);
  CHECK(bench.x(5) == 0);
  CHECK(bench.x(6) == 9);
}
