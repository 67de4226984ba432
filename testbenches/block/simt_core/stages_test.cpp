// SPDX-License-Identifier: Apache-2.0
// The front end and the flow of warps, alone.

#include "testbenches/block/simt_core/stage_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
namespace rv = testbench::rv;
using simt_core::Effect;

namespace {

constexpr std::uint32_t kCode = CoreBench::kCode;

/// Warp 0 runs, and the front end fetches and decodes for it.
struct FetchBench : StageBench {
  explicit FetchBench(const std::vector<std::uint32_t>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) instructions.set_word(kCode + 4 * i, words[i]);
    host.core.state.launch();
    host.front_end.jump(0, kCode);
    host.issue = [this](Cycle now) {
      if (host.front_end.due() <= now) host.front_end.decode(now);
      if (host.front_end.can_fetch()) host.front_end.fetch(now);
    };
    host.wake_at(0);
  }
};

}  // namespace

TEST_CASE("a warp fetches on behind an addition, and waits behind a branch until that has resolved") {
  FetchBench bench({rv::addi(1, 0, 1), rv::beq(0, 0, 8), rv::addi(2, 0, 1), rv::addi(3, 0, 1)});
  bench.run_for(100);
  CHECK(bench.host.front_end.buffered(0) == 2);
  CHECK(bench.host.front_end.resolving() == 1);
  bench.host.front_end.jump(0, kCode + 12);
  bench.host.front_end.resolve(1);
  bench.run_for(20);
  CHECK(bench.host.front_end.buffered(0) >= 3);
  bench.host.front_end.drop(0);
  bench.host.front_end.drop(0);
  CHECK(bench.host.front_end.front(0).pc == kCode + 12);
}

TEST_CASE("a warp that is sent elsewhere keeps only an instruction that has begun") {
  FetchBench bench({rv::addi(1, 0, 1), rv::addi(2, 0, 1), rv::addi(3, 0, 1), rv::beq(0, 0, 8)});
  bench.run_for(100);
  REQUIRE(bench.host.front_end.buffered(0) == 4);
  bench.host.front_end.begin(0);
  bench.host.front_end.redirect(0, kCode + 8);
  CHECK(bench.host.front_end.buffered(0) == 1);
  CHECK(bench.host.front_end.front(0).pc == kCode);
  CHECK(bench.host.front_end.fetch_pc(0) == kCode + 8);
  bench.host.front_end.drop(0);
  bench.host.front_end.redirect(0, kCode + 4);
  CHECK(bench.host.front_end.buffered() == 0);
  CHECK(bench.host.front_end.next_pc(0) == kCode + 4);
  CHECK(bench.host.front_end.locked() == 0);  // the branch is forgotten
  bench.run_for(20);
  REQUIRE(bench.host.front_end.buffered() == 1);
  CHECK(bench.host.front_end.front(0).pc == kCode + 4);
}

TEST_CASE("the last warp of a core at a barrier asks the synchronizer, after the latency of the request") {
  simt_core::Params params;
  params.barrier_request_latency = 5;
  StageBench bench(params);
  bench.host.issue = [&](Cycle now) {
    if (now != 3 && now != 7) return;
    bench.host.core.state[0].barrier_id = 2;
    Effect effect;
    effect.kind = Effect::Kind::kBarrier;
    effect.complete = now == 7;  // the other one has come before
    CHECK(bench.host.flow.take(effect, 0, kCode));
  };
  bench.host.wake_at(0);
  bench.run_for(30);
  CHECK(bench.host.arrivals == std::vector<std::pair<Cycle, unsigned>>{{12, 2}});
  CHECK(bench.host.flow.idle());
  CHECK(bench.host.core.stats.barriers.value() == 2);
}

TEST_CASE("a trap is no issue: it counts, and the warp goes on in its handler") {
  StageBench bench;
  Effect effect;
  effect.kind = Effect::Kind::kTrap;
  effect.pc = kCode + 0x100;
  bench.host.scoreboard.block(4, simt_core::IssueReason::kUnitBusy);
  CHECK_FALSE(bench.host.flow.take(effect, 4, kCode));
  CHECK(bench.host.core.stats.traps.value() == 1);
  CHECK(bench.host.account.pc(4) == kCode);
  CHECK(bench.host.front_end.next_pc(4) == kCode + 0x100);
  CHECK(bench.host.scoreboard.unblocked(1u << 4) != 0);
  bench.host.core.watchers.set_probe(nullptr);
}

TEST_CASE("each cycle of the issue slot has one reason, and their sum is the time") {
  using simt_core::IssueReason;
  StageBench bench;
  StageHost& host = bench.host;
  host.account.reset(0);
  host.core.state.launch();  // warp 0 runs, and has fetched nothing
  host.account.begin_cycle();
  host.account.issue(0, kCode);
  host.account.charge(10, false);
  host.account.begin_cycle();
  host.core.state.arrive(0, 1, 2);
  host.account.charge(25, false);
  host.core.stats.issue.settle(40);
  const auto cycles = [&](IssueReason reason) {
    return host.core.stats.issue.cycles(static_cast<std::size_t>(reason));
  };
  CHECK(cycles(IssueReason::kNoWarp) == 10);
  CHECK(cycles(IssueReason::kIssued) == 1);
  CHECK(cycles(IssueReason::kFetch) == 14);
  CHECK(cycles(IssueReason::kBarrier) == 15);
  CHECK(host.core.stats.issue.total() == 40);
}
