// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units.h"

#include <catch2/catch.hpp>
#include <deque>
#include <vector>

#include "testbenches/support/assembler.h"

using namespace spica;
using namespace simt_core;
namespace rv = testbench::rv;

namespace {

struct Bench {
  explicit Bench(const Params& p = {}) : params(p) {}

  /// `word` of a warp leaves the operand stage in cycle `ready`.
  void push(unsigned warp, std::uint32_t word, base::Cycle ready, std::uint32_t mask = 0xFF) {
    instructions.push_back(isa::decode(word));
    const isa::Instruction& instruction = instructions.back();
    units.push(units.unit_of(instruction, warp), warp, {&instruction, 0, mask, 0, ready});
  }
  struct Event {
    base::Cycle cycle;
    unsigned warp;
    base::Cycle latency;
    bool operator==(const Event& o) const {
      return cycle == o.cycle && warp == o.warp && latency == o.latency;
    }
  };
  std::vector<Event> run(base::Cycle end) {
    std::vector<Event> events;
    for (base::Cycle cycle = 0; cycle <= end; ++cycle) {
      if (units.due() > cycle) continue;
      units.run(cycle,
                [&](const Units::Taken& taken) { events.push_back({cycle, taken.warp, taken.latency}); });
    }
    return events;
  }

  Params params;
  Units units{params};
  std::deque<isa::Instruction> instructions;
};

using Events = std::vector<Bench::Event>;

}  // namespace

TEST_CASE("a warp uses the unit of its number, modulo how many there are") {
  Params params;
  params.alu_blocks = 2;
  Bench bench(params);
  const isa::Instruction add = isa::decode(rv::addi(1, 2, 3)), load = isa::decode(rv::lw(1, 2, 0));
  CHECK(bench.units.unit_of(add, 0) == bench.units.unit_of(add, 2));
  CHECK(bench.units.unit_of(add, 0) != bench.units.unit_of(add, 1));
  CHECK(bench.units.unit_of(load, 0) == Units::kLoadStore);
  CHECK(bench.units.unit_of(isa::decode(rv::csrrs(1, 0xC00, 0)), 3) == Units::kSfu);
}

TEST_CASE("a unit takes one instruction per cycle, and warps in turn") {
  Params params;
  params.alu_blocks = 1;
  Bench bench(params);
  for (const unsigned warp : {0, 0, 1}) bench.push(warp, rv::addi(1, 2, 3), 2);
  CHECK(bench.run(10) ==
        Events{{2, 0, params.alu_latency}, {3, 1, params.alu_latency}, {4, 0, params.alu_latency}});
  CHECK(bench.units.empty());
  CHECK(bench.units.due() == base::kNever);
}

TEST_CASE("a divide of the floating-point unit keeps the next one out for its interval") {
  Params params;
  params.fpu_blocks = 1;
  params.fpu_divide_interval = 5;
  Bench bench(params);
  bench.push(0, rv::fdiv(1, 2, 3), 1);
  bench.push(1, rv::fadd(1, 2, 3), 1);
  CHECK(bench.run(20) == Events{{1, 0, params.fpu_divide_latency}, {6, 1, params.fma_latency}});
}

TEST_CASE("the special-function unit takes a cycle for each packet with an active lane") {
  Params params;
  params.sfu_lanes = 2;
  Bench bench(params);
  bench.push(0, rv::csrrs(1, 0xC00, 0), 1, 0b1100'0011);
  bench.push(1, rv::csrrs(1, 0xC00, 0), 1, 0b0000'0001);
  CHECK(bench.run(20) == Events{{1, 0, params.sfu_latency + 1}, {3, 1, params.sfu_latency}});
}

TEST_CASE("the load/store unit takes nothing while the queue behind it is full") {
  Bench bench;
  bench.units.open_load_store(false);
  bench.push(0, rv::lw(1, 2, 0), 1);
  CHECK(bench.units.due() == base::kNever);
  CHECK(bench.run(5).empty());
  bench.units.open_load_store(true);
  CHECK(bench.run(9).size() == 1);
}
