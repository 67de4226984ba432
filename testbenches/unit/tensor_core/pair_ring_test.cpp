// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/pair_ring.h"

#include <catch2/catch.hpp>

using spica::tensor_core::PairRing;

TEST_CASE("a step pair counts for the stage it is in") {
  PairRing pairs(3);
  pairs.push(5);
  pairs.push(6);
  CHECK(pairs.waiting() == 2);
  pairs.enter(10);
  CHECK(pairs.waiting() == 1);
  CHECK(pairs.computing() == 1);
  CHECK(pairs.under_way() == 2);
  CHECK(pairs.leaves() == 10);
  pairs.leave();
  CHECK(pairs.done() == 1);
  CHECK(pairs.under_way() == 1);
  CHECK(pairs.warp() == 5);
  pairs.drop();
  CHECK(pairs.done() == 0);
  pairs.clear();
  CHECK(pairs.under_way() == 0);
}

TEST_CASE("step pairs keep their order through all stages and many turns of the ring") {
  PairRing pairs(3);  // one in each stage at a time
  for (unsigned turn = 0; turn < 50; ++turn) {
    pairs.push(turn);
    if (turn >= 1) pairs.enter(turn + 3);
    if (turn < 2) continue;
    CHECK(pairs.leaves() == turn + 2);  // of the pair before the one that has just entered
    pairs.leave();
    CHECK(pairs.warp() == turn - 2);
    pairs.drop();
  }
  CHECK(pairs.waiting() == 1);
  CHECK(pairs.computing() == 1);
}
