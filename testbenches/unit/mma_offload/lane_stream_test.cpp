// SPDX-License-Identifier: Apache-2.0
#include "models/mma_offload/lane_stream.h"
#include "testbenches/support/catch.h"

using spica::mma_offload::LaneStream;

TEST_CASE("instructions of the core go before a stream, between its own, and behind it") {
  LaneStream lanes;
  lanes.stream(10, 3, 4);  // in 10, 14 and 18
  CHECK(lanes.fits(8, 2));
  CHECK_FALSE(lanes.fits(9, 2));
  CHECK_FALSE(lanes.fits(10, 1));
  CHECK(lanes.fits(11, 1));
  CHECK(lanes.fits(13, 1));
  CHECK(lanes.fits(12, 2));
  CHECK_FALSE(lanes.fits(13, 2));
  CHECK_FALSE(lanes.fits(18, 1));
  CHECK_FALSE(lanes.fits(21, 2));
  CHECK(lanes.fits(22, 2));
}

TEST_CASE("the lanes are free when neither the stream nor the core has an instruction in them") {
  LaneStream lanes;
  CHECK(lanes.free(0));
  lanes.use(5, 2);
  CHECK_FALSE(lanes.free(6));
  CHECK(lanes.free(7));
  lanes.stream(10, 2, 3);
  CHECK_FALSE(lanes.free(15));
  CHECK(lanes.free(16));
  lanes.reset();
  CHECK(lanes.free(15));
}

TEST_CASE("what the core does while a stream is under way is not counted twice") {
  LaneStream lanes;
  lanes.use(3, 2);
  lanes.stream(10, 2, 4);
  lanes.use(7, 2);
  lanes.use(11, 2);
  lanes.use(18, 2);
  CHECK(lanes.own_use().cycles == 6);
  CHECK(lanes.own_use().first == 3);
  CHECK(lanes.own_use().last == 20);
}
