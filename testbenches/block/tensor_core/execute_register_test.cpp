// SPDX-License-Identifier: Apache-2.0
// The register from which micro-ops of all warps enter.
#include <sstream>
#include <string>

#include "testbenches/block/tensor_core/pipeline_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;

namespace {

/// Units that keep a pair for long and room for one: the second half of warp 1 waits, then comes the second pair of warp 0.
tensor_core::TensorCoreParams slow(bool execute_register) {
  tensor_core::TensorCoreParams params;
  params.pair_cycles = 16;
  params.operand_fifo = 1;
  params.execute_register = execute_register;
  return params;
}
std::string state_after_12_cycles(PipelineBench& bench) {
  bench.core.plan(0, 2);
  bench.core.plan(1, 1);
  bench.run_for(12);
  std::ostringstream state;
  bench.tensor.dump_state(state);
  return state.str();
}

}  // namespace

TEST_CASE("a second half in the execute register holds the first halves of other warps") {
  PipelineBench bench(slow(true));
  const std::string state = state_after_12_cycles(bench);
  CAPTURE(state);
  CHECK(state.find("warp 0: pc 0x00000000, 2 dispatched, 2 accepted") != std::string::npos);
  CHECK(state.find("next: a micro-op of warp 1") != std::string::npos);
  bench.run();
  CHECK(bench.core.results.size() == 6);
  CHECK(bench.tensor.idle());
}

TEST_CASE("without one, a first half enters before a second one that waits") {
  PipelineBench bench(slow(false));
  const std::string state = state_after_12_cycles(bench);
  CAPTURE(state);
  CHECK(state.find("warp 0: pc 0x00000000, 1 dispatched, 3 accepted") != std::string::npos);
}

TEST_CASE("a reset empties the execute register") {
  PipelineBench bench(slow(true));
  REQUIRE(state_after_12_cycles(bench).find("next:") != std::string::npos);
  bench.tensor.reset();
  std::ostringstream state;
  bench.tensor.dump_state(state);
  CHECK(state.str().find("next:") == std::string::npos);
}
