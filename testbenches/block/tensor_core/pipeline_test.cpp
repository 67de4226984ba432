// SPDX-License-Identifier: Apache-2.0
// The tensor core alone: queues, turns, backpressure.
#include "testbenches/block/tensor_core/pipeline_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using tensor_core::DotReason;

TEST_CASE("a pair writes back one row per cycle, in order") {
  PipelineBench bench;
  bench.core.plan(3, 1);
  bench.run();
  REQUIRE(bench.core.pushes == std::vector<Cycle>{1, 2});
  const Cycle first = 2 + bench.push_to_result();
  CHECK(bench.core.results == std::vector<CoreStub::Result>{{first, 3, 0}, {first + 1, 3, 1}});
  CHECK(bench.tensor.idle());
  CHECK(bench.clock.asleep());
}

TEST_CASE("half a pair waits in the assembly register and wakes nobody") {
  PipelineBench bench;
  bench.core.plan(0, 1);
  bench.run_for(2);  // first half pushed in cycle 1
  CHECK_FALSE(bench.tensor.idle());
  bench.run();
  CHECK(bench.core.results.size() == 2);
}

TEST_CASE("warps take turns micro-op by micro-op") {
  PipelineBench bench;
  constexpr unsigned kWarps = 6;  // so many pairs at once do not fill the operand FIFO
  for (unsigned warp = 0; warp < kWarps; ++warp) bench.core.plan(warp, 1);
  bench.run();
  // All first halves are accepted from cycle 2 on, then all second halves.
  const auto& results = bench.core.results;
  REQUIRE(results.size() == 2 * kWarps);
  const Cycle first = 2 + kWarps - 1 + bench.push_to_result();
  for (unsigned i = 0; i < 2 * kWarps; ++i) {
    CAPTURE(i);
    CHECK(results[i] == CoreStub::Result{first + i, i / 2, i % 2});
  }
}

TEST_CASE("the warp that comes first moves on also while others have nothing") {
  PipelineBench bench;
  bench.core.plan(0, 2);
  bench.core.plan(6, 2);
  bench.run();
  // Cycle 2: warp 0 comes first and gives a first half. From cycle 3 on warps 1 to 6 come first: warp 6 wins
  // whenever it has something, and warp 0 has to wait.
  std::vector<unsigned> order;
  for (std::size_t i = 0; i < bench.core.results.size(); i += 2) order.push_back(bench.core.results[i].warp);
  CHECK(order == std::vector<unsigned>{6, 6, 0, 0});
}

TEST_CASE("pairs leave at the rate of the dot-product units") {
  PipelineBench bench;
  for (unsigned warp = 0; warp < 8; ++warp) bench.core.plan(warp, 16);
  bench.run();
  const auto& results = bench.core.results;
  REQUIRE(results.size() == 8 * 16 * 2);
  CHECK(results.back().cycle - results.front().cycle + 1 == 8 * 16 * bench.tensor.params().pair_cycles);
  CHECK(bench.reason(DotReason::kComputing) == 8 * 16 * bench.tensor.params().pair_cycles);
  CHECK(bench.reason(DotReason::kResultBlocked) == 0);
  CHECK(bench.tensor.stats().dot_product.total() == bench.clock.now());
}

TEST_CASE("slower units fill the operand FIFO and hold the micro-ops back") {
  tensor_core::TensorCoreParams slow;
  slow.pair_cycles = 6;
  PipelineBench bench(slow);
  for (unsigned warp = 0; warp < 8; ++warp) bench.core.plan(warp, 4);
  bench.run();
  CHECK(bench.core.results.back().cycle - bench.core.results.front().cycle ==
        (8 * 4 - 1) * slow.pair_cycles + 1);
  CHECK(bench.tensor.stats().operand_full_cycles.value() > 0);
}

TEST_CASE("a write-back that finds its port taken is done in the next cycle") {
  PipelineBench bench;
  bench.core.plan(0, 1);
  const Cycle first = 2 + bench.push_to_result();
  bench.core.refuse = {first + 1};
  bench.run();
  CHECK(bench.core.results == std::vector<CoreStub::Result>{{first, 0, 0}, {first + 2, 0, 1}});
  CHECK(bench.tensor.stats().write_back_conflicts.value() == 1);
}

TEST_CASE("a full result FIFO stops the pipeline and nothing is lost") {
  PipelineBench bench;
  for (unsigned warp = 0; warp < 8; ++warp) bench.core.plan(warp, 8);
  for (Cycle cycle = 40; cycle < 80; ++cycle) bench.core.refuse.insert(cycle);
  bench.run();
  const auto& results = bench.core.results;
  REQUIRE(results.size() == 8 * 8 * 2);
  unsigned next[8] = {};
  for (const auto& result : results) CHECK(result.row == next[result.warp]++ % 8);
  CHECK(bench.tensor.stats().write_back_conflicts.value() == 40);
  // The result FIFO takes up some of the 40 cycles, the pipeline stands still in the others.
  const auto& t = bench.tensor.params();
  CHECK(bench.reason(DotReason::kResultBlocked) >= 40 - t.result_fifo * t.pair_cycles);
  CHECK(bench.reason(DotReason::kResultBlocked) <= 40);
  CHECK(results.back().cycle - results.front().cycle + 1 == 8 * 8 * t.pair_cycles + 40);
  CHECK(bench.tensor.stats().dot_product.total() == bench.clock.now());
}

TEST_CASE("one warp's full metadata queue holds all warps") {
  tensor_core::TensorCoreParams small;
  small.metadata_queue = 2;
  PipelineBench bench(small);
  bench.core.plan(0, 4);
  bench.run();
  // One pair at a time: the next half is accepted in the cycle behind the first write-back.
  CHECK(bench.tensor.stats().metadata_full_cycles.value() > 0);
  const auto& results = bench.core.results;
  REQUIRE(results.size() == 8);
  const Cycle period = bench.push_to_result() - 1 + 2;  // accept second half, result, accept two halves
  for (unsigned pair = 1; pair < 4; ++pair)
    CHECK(results[2 * pair].cycle - results[2 * pair - 2].cycle == period);
}

TEST_CASE("reset drops everything and keeps the statistics") {
  PipelineBench bench;
  for (unsigned warp = 0; warp < 8; ++warp) bench.core.plan(warp, 8);
  bench.run_for(30);
  CHECK_FALSE(bench.tensor.idle());
  const auto pairs = bench.tensor.stats().step_pairs.value();
  CHECK(pairs > 0);
  bench.tensor.reset();
  CHECK(bench.tensor.idle());
  for (unsigned warp = 0; warp < 8; ++warp) CHECK(bench.tensor.room(warp));
  CHECK(bench.tensor.stats().step_pairs.value() == pairs);
}
