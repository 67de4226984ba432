// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/synchronous/step_pairs.h"

#include "testbenches/support/catch.h"

using namespace spica;
using tensor_core::StepPairs;

namespace {

/// Of the second half of a pair.
protocol::TensorResult second_half(unsigned warp, unsigned row = 41, bool last = false) {
  protocol::TensorResult result;
  result.warp = static_cast<std::uint8_t>(warp);
  result.result = static_cast<std::uint8_t>(row);
  result.last = last;
  return result;
}

}  // namespace

TEST_CASE("a step pair counts for the stage it is in") {
  StepPairs pairs(3);
  pairs.push(second_half(5));
  pairs.push(second_half(6));
  CHECK(pairs.waiting() == 2);
  pairs.enter(10);
  CHECK(pairs.waiting() == 1);
  CHECK(pairs.computing() == 1);
  CHECK(pairs.under_way() == 2);
  CHECK(pairs.leaves() == 10);
  pairs.leave();
  CHECK(pairs.done() == 1);
  CHECK(pairs.under_way() == 1);
  CHECK(pairs.row().warp == 5);
  pairs.drop_row();
  CHECK(pairs.done() == 1);
  pairs.drop_row();
  CHECK(pairs.done() == 0);
  pairs.clear();
  CHECK(pairs.under_way() == 0);
}

TEST_CASE("a pair that is done has two rows, and only the second one can be the last of its instruction") {
  StepPairs pairs(2);
  pairs.push(second_half(3, 55, true));
  pairs.enter(1);
  pairs.leave();
  CHECK(pairs.row().result == 54);
  CHECK_FALSE(pairs.row().last);
  pairs.drop_row();
  CHECK(pairs.row().result == 55);
  CHECK(pairs.row().last);
  CHECK(pairs.row().warp == 3);
  pairs.clear();
  pairs.push(second_half(4, 49));
  pairs.enter(1);
  pairs.leave();
  CHECK(pairs.row().result == 48);
}

TEST_CASE("step pairs keep their order through all stages and many turns of the ring") {
  StepPairs pairs(3);  // one in each stage at a time
  for (unsigned turn = 0; turn < 50; ++turn) {
    pairs.push(second_half(turn));
    if (turn >= 1) pairs.enter(turn + 3);
    if (turn < 2) continue;
    CHECK(pairs.leaves() == turn + 2);  // of the pair before the one that has just entered
    pairs.leave();
    CHECK(pairs.row().warp == turn - 2);
    pairs.drop_row();
    pairs.drop_row();
  }
  CHECK(pairs.waiting() == 1);
  CHECK(pairs.computing() == 1);
}
