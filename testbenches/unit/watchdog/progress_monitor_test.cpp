// SPDX-License-Identifier: Apache-2.0
#include "platform/watchdog/progress_monitor.h"

#include <catch2/catch.hpp>

using spica::watchdog::ProgressMonitor;

TEST_CASE("a warp that reaches new states is never reported") {
  ProgressMonitor monitor(100);
  for (std::uint64_t i = 0; i < 1000; ++i) CHECK_FALSE(monitor.sample(10 * i, 0, {{0, i}}));
}

TEST_CASE("a warp that runs through the same states is reported when the patience is over") {
  ProgressMonitor monitor(100);
  spica::base::Cycle reported = 0;
  for (std::uint64_t i = 0; reported == 0 && i < 100; ++i)
    if (monitor.sample(10 * i, 0, {{0, i % 3}})) reported = 10 * i;
  // The last new state is seen at cycle 20.
  CHECK(reported == 120);
}

TEST_CASE("one warp that works keeps the others that poll from being reported") {
  ProgressMonitor monitor(100);
  for (std::uint64_t i = 0; i < 200; ++i) CHECK_FALSE(monitor.sample(10 * i, 0, {{0, 7}, {1, i}}));
}

TEST_CASE("a unit that works counts as progress") {
  ProgressMonitor monitor(100);
  for (std::uint64_t i = 0; i < 200; ++i) CHECK_FALSE(monitor.sample(10 * i, i, {{0, 7}}));
}

TEST_CASE("the same state in another warp is a new one") {
  ProgressMonitor monitor(50);
  CHECK_FALSE(monitor.sample(0, 0, {{0, 7}}));
  CHECK_FALSE(monitor.sample(40, 0, {{1, 7}}));
  CHECK_FALSE(monitor.sample(80, 0, {{1, 7}}));
  CHECK(monitor.sample(90, 0, {{1, 7}}));
}
