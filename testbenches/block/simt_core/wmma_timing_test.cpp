// SPDX-License-Identifier: Apache-2.0
// When tensor instructions issue and write back, as formulas of the parameters.

#include "testbenches/block/simt_core/wmma_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;
using simt_core::IssueReason;
using tensor_core::DotReason;

namespace {

Cycle cycles_of(WmmaBench& bench, DotReason reason) {
  bench.tensor.settle_stats();
  return bench.tensor.stats().dot_product.cycles(static_cast<std::size_t>(reason));
}

/// The given number of wmmas on all warps; cycles from the first micro-op to the last result.
Cycle span(WmmaBench& bench, unsigned wmmas_per_warp, bool alternate) {
  std::vector<std::uint32_t> body;
  for (unsigned i = 0; i < wmmas_per_warp; ++i) body.push_back(alternate && i % 2 == 1 ? kWmma1 : kWmma0);
  bench.run_program(on_all_warps(body));
  REQUIRE(bench.probe.results.size() == 8 * 32 * wmmas_per_warp);
  return bench.probe.results.back().cycle - bench.probe.issued.front().cycle;
}

}  // namespace

namespace {

/// One wmma of one warp with nothing else in the way, cycle by cycle.
void check_one_wmma(WmmaBench& bench) {
  // The CSR access keeps the end of the program out of the way of the last results.
  bench.run_program(on_one_warp({kWmma0, csrrs(5, 0xCC0, 0)}));
  REQUIRE(bench.probe.issued.size() == 32);
  REQUIRE(bench.probe.results.size() == 32);
  const Cycle start = bench.probe.issued[0].cycle;
  for (unsigned i = 0; i < 32; ++i) {
    CAPTURE(i);
    const Cycle issue = start + i / 8 * bench.set_cycles() + i % 8;
    CHECK(bench.probe.issued[i].cycle == issue);
    CHECK(bench.probe.results[i].cycle == issue + bench.to_result());
    CHECK(bench.probe.results[i].row == 16 + i % 8);
  }
  CHECK(cycles_of(bench, DotReason::kComputing) == 16 * bench.tensor.params().pair_cycles);
  CHECK(bench.tensor.stats().dot_product.total() == bench.clock.now());
}

/// The later revisions: registers are read a cycle later, and more instructions wait behind that.
tensor_core::TensorCoreParams later_tensor_core(tensor_core::Operand operand) {
  tensor_core::TensorCoreParams t;
  t.operand = operand;
  t.latency = operand == tensor_core::Operand::kFp32 ? 3 : 4;
  t.dispatch_depth = 5;
  return t;
}
simt_core::Params later_core() {
  simt_core::Params p;
  p.operand_latency = 5;
  p.dispatch_interval = 1;
  return p;
}

}  // namespace

TEST_CASE("one wmma alone: each set waits for the accumulators of the one before") {
  WmmaBench bench;
  check_one_wmma(bench);
}

TEST_CASE("a core that sends an instruction of a warp in two cycles takes 64 cycles for one wmma alone") {
  simt_core::Params core = micro_op_per_cycle();
  core.dispatch_interval = 2;
  WmmaBench bench({}, core);
  bench.run_program(on_one_warp({kWmma0, kWmma1, kWmma0, csrrs(5, 0xCC0, 0)}));
  REQUIRE(bench.probe.results.size() == 96);
  CHECK(bench.probe.results[63].cycle - bench.probe.results[31].cycle == 64);
  CHECK(bench.probe.results[95].cycle - bench.probe.results[63].cycle == 64);
}

TEST_CASE("one FP16 wmma alone on the later operand stage: the same, a cycle later in each set") {
  WmmaBench bench(later_tensor_core(tensor_core::Operand::kFp16), later_core()), first;
  CHECK(bench.set_cycles() == first.set_cycles() + 1);
  check_one_wmma(bench);
}

TEST_CASE("one FP32 wmma alone on the later revision: dot products are a cycle shorter") {
  WmmaBench bench(later_tensor_core(tensor_core::Operand::kFp32), later_core()), first;
  CHECK(bench.set_cycles() == first.set_cycles());
  check_one_wmma(bench);
}

TEST_CASE("the later operand stage with the buffers of the first one cannot issue in every cycle") {
  tensor_core::TensorCoreParams t = later_tensor_core(tensor_core::Operand::kFp16);
  t.dispatch_depth = 2;
  WmmaBench bench(t, later_core());
  bench.run_program(on_one_warp({kWmma0, csrrs(5, 0xCC0, 0)}));
  const Cycle start = bench.probe.issued[0].cycle;
  CHECK(bench.probe.issued[1].cycle == start + 1);
  CHECK(bench.probe.issued[2].cycle == start + bench.params.operand_latency);
}

TEST_CASE("eight warps multiply 32 pairs of FP16 numbers per cycle on the later operand stage") {
  WmmaBench bench(later_tensor_core(tensor_core::Operand::kFp16), later_core());
  constexpr unsigned kPerWarp = 16;
  const Cycle cycles = span(bench, kPerWarp, false);
  const Cycle ideal = 8 * kPerWarp * 32;
  CHECK(cycles >= ideal);
  CHECK(cycles <= ideal + 4 * bench.set_cycles());
  CHECK(cycles_of(bench, DotReason::kComputing) == ideal);
  CHECK(bench.tensor.stats().macs.value() == 32 * ideal);
}

TEST_CASE("other latencies move the results of a wmma by as much") {
  tensor_core::TensorCoreParams slow;
  slow.latency = 9;
  WmmaBench bench(slow);
  bench.run_program(on_one_warp({kWmma0, csrrs(5, 0xCC0, 0)}));
  const Cycle start = bench.probe.issued[0].cycle;
  CHECK(bench.set_cycles() == 20);
  CHECK(bench.probe.results.back().cycle == start + 3 * bench.set_cycles() + 7 + bench.to_result());
}

TEST_CASE("eight warps keep the dot-product units busy: 32 cycles per wmma") {
  WmmaBench bench;
  constexpr unsigned kPerWarp = 16;
  const Cycle cycles = span(bench, kPerWarp, false);
  const Cycle ideal = 8 * kPerWarp * 32;
  CHECK(cycles >= ideal);
  // Warps start one fetch after the other and the last one drains alone.
  CHECK(cycles <= ideal + 4 * bench.set_cycles());
  CHECK(cycles_of(bench, DotReason::kComputing) == ideal);
  CHECK(bench.tensor.stats().macs.value() == 16 * ideal);  // 16 FP32 MACs per busy cycle
}

TEST_CASE("where a full FIFO holds first halves back, eight warps in step lose cycles") {
  tensor_core::TensorCoreParams strict;
  strict.hold_first_halves = true;
  WmmaBench bench(strict);
  constexpr unsigned kPerWarp = 16;
  const Cycle cycles = span(bench, kPerWarp, false);
  const Cycle ideal = 8 * kPerWarp * 32;
  CHECK(bench.tensor.stats().operand_full_cycles.value() > 0);
  CHECK(cycles > ideal + bench.tensor.stats().operand_full_cycles.value() / 2);
  CHECK(cycles < ideal + ideal / 8);
}

TEST_CASE("with the execute register that makes first halves wait in the RTL, eight warps lose none") {
  tensor_core::TensorCoreParams published;
  published.hold_first_halves = published.execute_register = true;
  simt_core::Params core;
  core.gather_entries = 2;
  WmmaBench bench(published, core);
  constexpr unsigned kPerWarp = 16;
  const Cycle cycles = span(bench, kPerWarp, false);
  const Cycle ideal = 8 * kPerWarp * 32;
  CHECK(cycles >= ideal);
  CHECK(cycles <= ideal + 4 * bench.set_cycles());
}

TEST_CASE("eight warps that alternate accumulators are as fast") {
  WmmaBench bench;
  constexpr unsigned kPerWarp = 16;
  const Cycle cycles = span(bench, kPerWarp, true);
  const Cycle ideal = 8 * kPerWarp * 32;
  CHECK(cycles >= ideal);
  CHECK(cycles <= ideal + 4 * bench.set_cycles());
}

TEST_CASE("wmmas of one warp on one accumulator follow one another like sets") {
  WmmaBench bench;
  bench.run_program(on_one_warp({kWmma0, kWmma0, kWmma0}));
  REQUIRE(bench.probe.issued.size() == 96);
  const Cycle start = bench.probe.issued[0].cycle;
  for (unsigned i = 0; i < 96; ++i)
    CHECK(bench.probe.issued[i].cycle == start + i / 8 * bench.set_cycles() + i % 8);
}

TEST_CASE("a wmma on the other accumulator starts after the last micro-op of the one before") {
  WmmaBench bench;
  bench.run_program(on_one_warp({kWmma0, kWmma1}));
  REQUIRE(bench.probe.issued.size() == 64);
  const Cycle start = bench.probe.issued[0].cycle;
  CHECK(bench.probe.issued[31].cycle == start + 3 * bench.set_cycles() + 7);
  CHECK(bench.probe.issued[32].cycle == start + 3 * bench.set_cycles() + 8);
  // Sixteen micro-ops of one warp meet a metadata queue of eight: the ninth waits for the cycle after the
  // first write-back.
  const Cycle ninth_ready = bench.probe.issued[32].cycle + bench.params.operand_latency;
  const Cycle first_written = bench.probe.issued[24].cycle + bench.to_result();
  const Cycle slip = first_written + 1 - ninth_ready;
  CHECK(bench.tensor.stats().metadata_full_cycles.value() == slip);
  CHECK(bench.probe.issued[63].cycle ==
        start + 3 * bench.set_cycles() + 8 + slip + 3 * bench.set_cycles() + 7);
}

TEST_CASE("two warps are enough to keep the units busy") {
  WmmaBench bench;
  // Pairs of a set of both warps take 16 cycles, the round trip less: the units are the limit.
  REQUIRE(bench.set_cycles() < 2 * 4 * bench.tensor.params().pair_cycles);
  std::vector<std::uint32_t> program = on_all_warps(std::vector<std::uint32_t>(8, kWmma0));
  program[0] = addi(5, 0, 2);
  bench.run_program(program);
  REQUIRE(bench.probe.results.size() == 2 * 8 * 32);
  // Until one of them has finished; the other one is then alone.
  std::size_t rows = 0, left[2] = {8 * 32, 8 * 32};
  while (left[0] != 0 && left[1] != 0) --left[bench.probe.results[rows++].warp];
  const Cycle cycles = bench.probe.results[rows - 1].cycle - bench.probe.results[0].cycle + 1;
  CHECK(cycles >= rows);  // a row per cycle at best
  CHECK(cycles <= rows + 2 * bench.set_cycles());
}

TEST_CASE("a micro-op waits for the load of its operand, earlier ones do not") {
  WmmaBench bench;
  // f2 is word 2 of k: needed by set 1.
  bench.run_program(on_one_warp({lui(4, 0x90000), flw(2, 4, 0), kWmma0}));
  REQUIRE(bench.global.arrivals.size() == 1);
  const Cycle loaded =
      bench.global.arrivals[0] + CoreBench::kGlobalLatency + bench.params.load_store.response_latency;
  const Cycle start = bench.probe.issued[0].cycle;
  REQUIRE(start + bench.set_cycles() < loaded);  // else the load hides behind set 0
  for (unsigned i = 0; i < 8; ++i) CHECK(bench.probe.issued[i].cycle == start + i);
  CHECK(bench.probe.issued[8].cycle == loaded);
  CHECK(bench.probe.issued[9].cycle == loaded + 1);
}

TEST_CASE("an instruction that needs the result waits for its row only") {
  WmmaBench bench;
  // store f16 (first result of set 3), then f23 (last one)
  bench.run_program(on_one_warp({lui(4, 0x90000), kWmma0, fsw(16, 4, 0), fsw(23, 4, 64)}));
  REQUIRE(bench.global.arrivals.size() == 2);
  const Cycle to_memory = bench.params.operand_latency + bench.params.load_store.request_latency;
  CHECK(bench.global.arrivals[0] == bench.probe.results[24].cycle + bench.params.commit_latency + to_memory);
  CHECK(bench.global.arrivals[1] == bench.probe.results[31].cycle + bench.params.commit_latency + to_memory);
}

TEST_CASE("a CSR access waits until the wmma before it has written its last row") {
  WmmaBench bench;
  bench.run_program(on_one_warp({kWmma0, csrrs(6, 0xB00, 0)}));
  CHECK(bench.x(6) == bench.probe.results.back().cycle + bench.params.commit_latency);
  const auto& issue = bench.core.stats().issue;
  CHECK(issue.cycles(static_cast<std::size_t>(IssueReason::kDrain)) == 0);  // it waits at its unit
  CHECK(issue.cycles(static_cast<std::size_t>(IssueReason::kTensor)) == 3 * (bench.set_cycles() - 8));
}

TEST_CASE("a fence does not wait for the tensor core") {
  WmmaBench bench;
  bench.run_program(on_one_warp({lui(4, 0x90000), kWmma0, fence(), sw(4, 4, 0)}));
  REQUIRE(bench.global.arrivals.size() == 2);  // with what the fence becomes
  CHECK(bench.global.arrivals[1] < bench.probe.results.back().cycle);
}
