// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/simt_core/stage_bench.h"

#include <algorithm>

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
namespace rv = testbench::rv;
using simt_core::Params;
using simt_core::UnitKind;
using Commits = std::vector<StageBench::Commit>;

namespace {

Params with(const std::vector<simt_core::UnitParams>& units) {
  Params params;
  params.units = units;
  return params;
}
/// From issue to commit.
Cycle delay(const Params& p, Cycle latency) { return p.operand_latency + latency + p.commit_latency; }

}  // namespace

TEST_CASE("a warp uses the unit of its number, modulo how many there are") {
  const Params params = with({{UnitKind::kAlu, 2}});
  StageBench bench(params);
  const Cycle d = delay(params, params.alu_latency);
  for (const unsigned warp : {0, 1, 2, 3}) bench.offer(10, warp, rv::addi(1, 2, 3));
  // Warps 0 and 2 share a unit, so do 1 and 3.
  CHECK(bench.commits(40) == Commits{{10 + d, 0, 0}, {10 + d, 1, 4}, {11 + d, 2, 8}, {11 + d, 3, 12}});
}

TEST_CASE("four floating-point units take four warps at once") {
  const Params params = with({{UnitKind::kFpu, 4}});
  StageBench bench(params);
  const Cycle at = 5 + delay(params, params.fma_latency);
  for (const unsigned warp : {0, 1, 2, 3}) bench.offer(5, warp, rv::fadd(1, 2, 3));
  CHECK(bench.commits(60) == Commits{{at, 0, 0}, {at, 1, 4}, {at, 2, 8}, {at, 3, 12}});
}

TEST_CASE("a list names only what differs: the short forms hold for the others") {
  Params params = with({{UnitKind::kLoadStore, 2}});
  params.alu_blocks = 4;
  CHECK(params.units_of(UnitKind::kLoadStore) == 2);
  CHECK(params.units_of(UnitKind::kAlu) == 4);
  CHECK(params.units_of(UnitKind::kFpu) == params.fpu_blocks);
  CHECK(params.units_of(UnitKind::kSfu) == 1);
}

TEST_CASE("a unit takes one instruction per cycle, and warps in turn") {
  const Params params = with({{UnitKind::kAlu, 1}});
  StageBench bench(params);
  const Cycle d = delay(params, params.alu_latency);
  bench.offer(3, 0, rv::addi(1, 2, 3));
  bench.offer(3, 1, rv::addi(1, 2, 3));
  bench.offer(4, 0, rv::addi(4, 2, 3));
  bench.offer(4, 1, rv::addi(4, 2, 3));
  CHECK(bench.commits(40) == Commits{{3 + d, 0, 0}, {4 + d, 1, 4}, {5 + d, 0, 8}, {6 + d, 1, 12}});
}

namespace {

/// A multiplication of warp 0, with those of other warps beside it.
void check_multiplications(unsigned others) {
  const Params params = with({{UnitKind::kAlu, 1}});
  StageBench bench(params);
  for (unsigned warp = 0; warp <= others; ++warp) bench.offer(3, warp, rv::mul(1, 2, 3));
  const Commits commits = bench.commits(40);
  REQUIRE(commits.size() == 1 + others);
  CHECK(commits[0] == StageBench::Commit{3 + delay(params, params.mul_latency), 0, 0});
  bench.host.core.stats.catch_up(bench.clock.now());
  CHECK(bench.host.core.stats.dispatches.value() == 1 + others);
}

}  // namespace

TEST_CASE("an instruction alone at its unit needs no dispatch buffer, and takes the same time") {
  check_multiplications(0);
}
TEST_CASE("an instruction among others at its unit") { check_multiplications(2); }

TEST_CASE("a divide of the floating-point unit keeps the next one out for its interval") {
  Params params = with({{UnitKind::kFpu, 1}});
  params.fpu_divide_interval = 5;
  StageBench bench(params);
  bench.offer(1, 0, rv::fdiv(1, 2, 3));
  bench.offer(1, 1, rv::fadd(1, 2, 3));
  CHECK(bench.commits(60) == Commits{{6 + delay(params, params.fma_latency), 1, 4},
                                     {1 + delay(params, params.fpu_divide_latency), 0, 0}});
}

TEST_CASE(
    "the special-function unit looks at a warp per cycle and takes its time for each packet with an active lane") {
  Params params;
  params.sfu_lanes = 2;
  StageBench bench(params);
  const Cycle d = params.sfu_latency + params.commit_latency;
  bench.offer(1, 2, rv::csrrs(1, 0xC00, 0), 0b1100'0011);
  bench.offer(1, 1, rv::csrrs(1, 0xC00, 0), 0b0000'0001);
  // It looks at warp 0 in cycle 1, and so at warp 4 when the instructions arrive, in cycle 5. Warp 1 has its turn in
  // cycle 10, for one packet; then warp 2, for two.
  REQUIRE(params.operand_latency == 4);
  CHECK(bench.commits(60) == Commits{{10 + 1 + d, 1, 4}, {12 + 3 + d, 2, 0}});
}

TEST_CASE("a CSR access waits at its unit for the loads of its warp, and others wait behind it") {
  StageBench bench;
  const Params& p = bench.params;
  for (unsigned lane = 0; lane < 8; ++lane)
    bench.host.core.state[0].registers.row(5)[lane] = CoreBench::kShared;
  bench.offer(1, 0, rv::lw(6, 5, 0));  // answered after 4 cycles
  bench.offer(2, 0, rv::csrrs(1, 0xC00, 0));
  bench.offer(2, 1, rv::csrrs(1, 0xC00, 0));
  bench.offer(2, 3, rv::csrrs(1, 0xC00, 0));
  const Commits commits = bench.commits(80);
  REQUIRE(commits.size() == 4);
  const Cycle load = 1 + p.operand_latency + p.load_store.request_latency + 4 + p.load_store.response_latency;
  REQUIRE(commits[0] == StageBench::Commit{load, 0, 0});
  // It comes to warp 0 in cycle 10 and stays. Each access takes 4 cycles, then it is the turn of warp 1, 2 and 3.
  REQUIRE(load > 10);
  const Cycle done = p.sfu_latency + p.commit_latency + 3;
  CHECK(commits[1] == StageBench::Commit{load + done, 0, 4});
  CHECK(commits[2] == StageBench::Commit{load + 4 + done, 1, 8});
  CHECK(commits[3] == StageBench::Commit{load + 4 + 4 + 1 + done, 3, 12});
}

TEST_CASE(
    "pipelined reads of the position of a warp wait neither for a turn nor for the loads of their warp") {
  Params params;
  params.csr_reads = simt_core::CsrReads::kPipelined;
  StageBench bench(params);
  for (unsigned lane = 0; lane < 8; ++lane)
    bench.host.core.state[0].registers.row(5)[lane] = CoreBench::kShared;
  bench.offer(1, 0, rv::lw(6, 5, 0));
  bench.offer(2, 0, rv::csrrs(1, 0xCC0, 0));
  bench.offer(2, 3, rv::csrrs(1, 0xCC1, 0));
  bench.offer(8, 0, rv::csrrs(2, 0xC00, 0));  // the cycle: behind the load
  const Commits commits = bench.commits(80);
  REQUIRE(commits.size() == 4);
  // Each takes 4 cycles of the unit.
  const Cycle load =
      1 + params.operand_latency + params.load_store.request_latency + 4 + params.load_store.response_latency;
  const Cycle done = params.sfu_latency + params.commit_latency + 3;
  const Cycle first = 2 + params.operand_latency;
  CHECK(std::count(commits.begin(), commits.end(), StageBench::Commit{first + done, 0, 4}) == 1);
  CHECK(std::count(commits.begin(), commits.end(), StageBench::Commit{first + 4 + done, 3, 8}) == 1);
  CHECK(commits.back() == StageBench::Commit{std::max(load, first + 8) + done, 0, 12});
}

TEST_CASE("a warp whose line of operands is full waits for its unit") {
  Params params = with({{UnitKind::kFpu, 1}});
  params.operand_depth = 2;
  params.fpu_divide_interval = 20;
  StageBench bench(params);
  bench.offer(1, 0, rv::fdiv(1, 2, 3));  // taken in cycle 5
  bench.offer(4, 0, rv::fdiv(4, 2, 3));  // comes to the dispatch buffer in 6, and stays until 25
  bench.offer(5, 0, rv::fadd(5, 2, 3));
  bench.offer(6, 0, rv::add(5, 2, 3));
  bench.offer(7, 0, rv::add(6, 2, 3));  // the line has an addition of each kind
  REQUIRE(params.operand_latency == 4);
  bench.commits(12);
  CHECK(bench.plan[3].issued);
  CHECK(bench.host.scoreboard.reason(0) == simt_core::IssueReason::kUnitBusy);
  CHECK_FALSE(bench.plan[4].issued);
  CHECK(bench.commits(80).size() == 5);
}

TEST_CASE("an instruction that finds its dispatch buffer taken holds those behind it, of its warp only") {
  Params params = with({{UnitKind::kFpu, 1}});
  params.fpu_divide_interval = 20;
  StageBench bench(params);
  const Cycle add = params.alu_latency + params.commit_latency;
  bench.offer(1, 0, rv::fdiv(1, 2, 3));
  bench.offer(2, 0, rv::fdiv(4, 2, 3));
  bench.offer(3, 0, rv::add(5, 2, 3));  // nothing of another unit is in front of it: it passes
  bench.offer(4, 0, rv::fadd(5, 2, 3));  // the second one that cannot go on
  bench.offer(5, 0, rv::add(6, 2, 3));
  bench.offer(6, 1, rv::add(6, 2, 3));
  REQUIRE(params.operand_latency == 4);
  const Commits commits = bench.commits(120);
  const auto of = [&](unsigned warp, std::uint32_t pc) {
    return std::find_if(commits.begin(), commits.end(),
                        [&](const auto& commit) { return commit.warp == warp && commit.pc == pc; })
        ->cycle;
  };
  // Taken in 5 and 25; the fadd comes to the buffer in 26, and the addition behind it a cycle later.
  CHECK(of(1, 20) == 6 + 4 + add);
  CHECK(of(0, 16) == 28 + add);
  CHECK(bench.plan[4].cycle == 5);
}

TEST_CASE("loads write their registers when the answer comes, and warps wait for their accesses") {
  StageBench bench;
  bench.shared.words[CoreBench::kShared + 8] = 77;
  for (unsigned lane = 0; lane < 8; ++lane)
    bench.host.core.state[2].registers.row(5)[lane] = CoreBench::kShared;
  bench.offer(1, 2, rv::lw(6, 5, 8));
  bench.commits(4);
  CHECK(bench.host.accesses.waits_for(2));
  CHECK(bench.host.quiet.empty());
  CHECK(bench.commits(40).size() == 1);
  CHECK(bench.host.core.state[2].registers.row(6)[7] == 77);
  CHECK(bench.host.quiet == std::vector<unsigned>{2});
  CHECK_FALSE(bench.host.accesses.waits_for(2));
}

namespace {

/// Warps 0 and 1, each with its own load/store unit, load in the same cycle.
void load_twice(StageBench& bench, std::uint32_t first, std::uint32_t second) {
  for (unsigned lane = 0; lane < 8; ++lane) {
    bench.host.core.state[0].registers.row(5)[lane] = first;
    bench.host.core.state[1].registers.row(5)[lane] = second;
  }
  bench.offer(1, 0, rv::lw(6, 5, 0));
  bench.offer(1, 1, rv::lw(6, 5, 0));
  CHECK(bench.commits(60).size() == 2);
}

}  // namespace

TEST_CASE("two load/store units send to different memories in one cycle") {
  StageBench bench(with({{UnitKind::kLoadStore, 2}}));
  load_twice(bench, CoreBench::kShared, 0x8000'0000);
  CHECK(bench.shared.arrivals == bench.global.arrivals);
}

TEST_CASE("two load/store units send to one memory one after the other") {
  StageBench bench(with({{UnitKind::kLoadStore, 2}}));
  load_twice(bench, CoreBench::kShared, CoreBench::kShared + 64);
  REQUIRE(bench.shared.arrivals.size() == 2);
  CHECK(bench.shared.arrivals[1] == bench.shared.arrivals[0] + 1);
}

TEST_CASE("a full queue of one load/store unit does not stop the other") {
  Params params = with({{UnitKind::kLoadStore, 2}});
  params.load_store.source_ids = 1;
  StageBench bench(params);
  for (unsigned lane = 0; lane < 8; ++lane) {
    bench.host.core.state[0].registers.row(5)[lane] = 0x8000'0000;
    bench.host.core.state[1].registers.row(5)[lane] = 0x8000'0100;
  }
  for (unsigned i = 0; i < 3; ++i) bench.offer(1 + i, 0, rv::lw(6 + i, 5, 0));
  bench.offer(1, 1, rv::lw(6, 5, 0));
  const Commits commits = bench.commits(200);
  REQUIRE(commits.size() == 4);
  // Warp 0 has one request under way at a time; that of warp 1 does not queue behind them.
  const auto of_warp_1 =
      std::find_if(commits.begin(), commits.end(), [](const auto& commit) { return commit.warp == 1; });
  CHECK(of_warp_1 - commits.begin() <= 1);
}
