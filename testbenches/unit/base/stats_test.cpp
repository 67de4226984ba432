// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "models/base/params.h"
#include "models/base/stats.h"

using namespace spica::base;

TEST_CASE("a cycle account charges each cycle once and its sum is the elapsed time") {
  CycleAccount account("slot", "what the slot did", {"idle", "busy", "stalled"});
  account.charge(1, 10);
  account.charge(2, 15);
  account.charge(1, 15);
  account.settle(40);
  CHECK(account.cycles(0) == 10);
  CHECK(account.cycles(1) == 30);
  CHECK(account.cycles(2) == 0);
  CHECK(account.total() == 40);
}

TEST_CASE("resetting statistics starts a new window") {
  StatGroup group;
  Counter& reads = group.counter("reads", Unit::kCount, "requests read");
  CycleAccount& account = group.account("slot", "what the slot did", {"idle", "busy"});
  reads += 5;
  account.charge(1, 3);
  group.reset(8);
  group.settle(10);
  CHECK(reads.value() == 0);
  CHECK(account.total() == 2);
  CHECK(account.start() == 8);
}

TEST_CASE("a range knows its bounds and powers of two") {
  constexpr Range range{1, 64, kPow2};
  CHECK(range.contains(std::uint64_t{32}));
  CHECK_FALSE(range.contains(std::uint64_t{48}));
  CHECK_FALSE(range.contains(std::uint64_t{0}));
  CHECK_FALSE(range.contains(std::uint64_t{128}));
}
