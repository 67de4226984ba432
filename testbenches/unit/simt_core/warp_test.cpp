// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp.h"

#include <catch2/catch.hpp>

using namespace spica;
using simt_core::Warp;

TEST_CASE("a warp writes back once per cycle") {
  Warp warp(32);
  CHECK(warp.take_write_back(100));
  CHECK_FALSE(warp.take_write_back(100));
  CHECK(warp.take_write_back(101));
  warp.leave_write_back(100);
  CHECK(warp.take_write_back(163));  // 63 cycles ahead of 100
  CHECK_FALSE(warp.take_write_back(101));
}

TEST_CASE("reset forgets the pipeline state of a warp") {
  Warp warp(32);
  warp.pending_rows = 1;
  warp.sequencer.advance();
  REQUIRE(warp.take_write_back(9));
  warp.reset();
  CHECK(warp.pending_rows == 0);
  CHECK_FALSE(warp.sequencer.active());
  CHECK(warp.take_write_back(9));
}
