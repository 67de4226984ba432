// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/simt_core/core_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;
using simt_core::IssueReason;

namespace {

constexpr std::uint32_t kEnd = tmc(0);

std::uint64_t cycles_of(CoreBench& bench, IssueReason reason) {
  return bench.core.stats().issue.cycles(static_cast<std::size_t>(reason));
}

std::vector<std::uint32_t> spawn_all_then(const std::vector<std::uint32_t>& body) {
  // x5 = warps, x6 = address of the body; every warp runs the body and ends
  std::vector<std::uint32_t> program = {csrrs(5, 0xFC1, 0), lui(6, CoreBench::kCode >> 12), addi(6, 6, 16),
                                        wspawn(5, 6)};
  program.insert(program.end(), body.begin(), body.end());
  program.push_back(kEnd);
  return program;
}

}  // namespace

TEST_CASE("one warp alone fetches one instruction per cache round trip and decode") {
  CoreBench bench;
  std::vector<std::uint32_t> program(101, addi(1, 0, 1));
  for (unsigned i = 0; i < 100; ++i) program[i] = addi(1 + i % 20, 0, 1);  // no dependence
  program.back() = kEnd;
  bench.run_program(program);
  CHECK(bench.core.stats().warp_instructions.value() == 101);
  const Cycle interval = CoreBench::kFetchLatency + bench.params.decode_latency;
  // The last instruction is fetched 100 intervals after the first.
  CHECK(bench.core.stats().issue.total() >= 100 * interval);
  CHECK(cycles_of(bench, IssueReason::kIssued) == 101);
  CHECK(cycles_of(bench, IssueReason::kFetch) >= 99 * (interval - 1));
  CHECK(cycles_of(bench, IssueReason::kFetch) <= 102 * (interval - 1));  // and the start
}

TEST_CASE("eight warps together reach about one instruction per cycle") {
  CoreBench bench;
  std::vector<std::uint32_t> body;
  for (int i = 0; i < 400; ++i) body.push_back(addi(static_cast<u32>(10 + i % 16), 0, i));
  bench.run_program(spawn_all_then(body));
  const auto issued = bench.core.stats().warp_instructions.value();
  const auto busy = cycles_of(bench, IssueReason::kIssued);
  CHECK(issued >= 8 * 400);
  CHECK(static_cast<double>(issued) / static_cast<double>(busy + cycles_of(bench, IssueReason::kFetch)) >
        0.95);
}

TEST_CASE("a dependent instruction issues after operand stage, unit and commit") {
  CoreBench bench;
  // The load fills the buffer after it, so that fetching does not hide the distances.
  const u32 base = 20;
  bench.run_program({lui(base, 0x90000), addi(26, 0, 1), lw(1, base, 0), add(2, 1, 1), mul(3, 2, 2),
                     fmadd(4, 4, 4, 4), addi(30, 0, 1), addi(29, 0, 1), addi(28, 0, 1), addi(27, 0, 1),
                     kEnd});
  const auto& p = bench.params;
  CHECK(bench.faults.faults.empty());
  // The add waits for the load from when it is in the buffer, one fetch interval after the load.
  const Cycle interval = CoreBench::kFetchLatency + p.decode_latency;
  CHECK(cycles_of(bench, IssueReason::kGlobalLoad) == p.operand_latency + p.load_store.request_latency +
                                                          CoreBench::kGlobalLatency +
                                                          p.load_store.response_latency - interval);
  // add -> mul: the multiply sits in the buffer and waits for the ALU's whole latency.
  CHECK(cycles_of(bench, IssueReason::kAluResult) >=
        p.operand_latency + p.alu_latency + p.commit_latency - 1);
}

TEST_CASE("the issue account closes: every cycle has one reason") {
  CoreBench bench;
  bench.run_program(spawn_all_then({addi(1, 0, 3), add(2, 1, 1), fdiv(3, 3, 3), fdiv(4, 3, 3)}));
  CHECK(bench.core.stats().issue.total() == bench.clock.now());
  CHECK(cycles_of(bench, IssueReason::kFpuResult) > 0);
  CHECK(bench.core.idle());
}

TEST_CASE("divides keep the floating-point unit busy for their interval") {
  CoreBench bench;
  std::vector<std::uint32_t> body;
  for (u32 i = 0; i < 4; ++i) body.push_back(fdiv(10 + i, 1, 2));
  bench.run_program(spawn_all_then(body));
  // 8 warps x 4 divides share one unit.
  CHECK(bench.core.stats().issue.total() >= 8 * 4 * bench.params.fpu_divide_interval);
}
