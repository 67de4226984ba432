// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/burst_streams.h"

#include "testbenches/support/catch.h"

using spica::shared_memory::BurstStreams;

TEST_CASE("streams catch up beat by beat, each beat once") {
  BurstStreams streams;
  CHECK_FALSE(streams.any());
  CHECK(streams.catch_up(100) == 0);
  streams.start(0b11, 0xFF, 20, 10);
  CHECK(streams.any());
  CHECK(streams.catch_up(10) == 0);
  CHECK(streams.catch_up(13) == 3);
  CHECK(streams.catch_up(13) == 0);
  CHECK(streams.catch_up(12) == 0);
  CHECK(streams.catch_up(19) == 6);
  streams.stop();
  CHECK(streams.catch_up(30) == 0);
}

TEST_CASE("a burst that joins counts from its own first cycle, and the first last beat ends all") {
  BurstStreams streams;
  streams.join(0b01, 0x0F, 50, 10);
  CHECK(streams.end() == 50);
  CHECK(streams.catch_up(12) == 2);
  streams.join(0b10, 0xF0, 20, 12);
  CHECK(streams.sources() == 0b11);
  CHECK(streams.reach() == 0xFF);
  CHECK(streams.end() == 20);
  CHECK(streams.catch_up(13) == 1);
  streams.stop();
  streams.join(0b100, 0xF00, 90, 60);
  CHECK(streams.sources() == 0b100);
  CHECK(streams.reach() == 0xF00);
  CHECK(streams.end() == 90);
}
