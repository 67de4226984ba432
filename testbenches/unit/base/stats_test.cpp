// SPDX-License-Identifier: Apache-2.0

#include "models/base/stats.h"
#include "models/base/late_cycles.h"
#include "models/base/params.h"
#include "testbenches/support/catch.h"

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
  constexpr Range kRange{1, 64, kPow2};
  CHECK(kRange.contains(std::uint64_t{32}));
  CHECK_FALSE(kRange.contains(std::uint64_t{48}));
  CHECK_FALSE(kRange.contains(std::uint64_t{0}));
  CHECK_FALSE(kRange.contains(std::uint64_t{128}));
}

TEST_CASE("cycles spent without a tick are charged when somebody looks, those ahead of time later") {
  StatGroup group;
  CycleAccount& account = group.account("activity", "", {"idle", "serving"});
  LateCycles late;
  late.spend(3);
  late.spend(5);
  late.spend(10);
  CHECK(late.pending());
  late.settle(account, 1, 10);
  account.settle(10);
  CHECK(account.cycles(1) == 2);
  CHECK(account.cycles(0) == 8);
  CHECK(late.pending());
  late.settle(account, 1, 11);
  account.settle(11);
  CHECK(account.cycles(1) == 3);
  CHECK(account.cycles(0) == 8);
  CHECK_FALSE(late.pending());
}

TEST_CASE("a cycle is charged by itself, whatever the time before and behind it belongs to") {
  for (const unsigned rest : {0u, 2u}) {
    CycleAccount account("slot", "what the slot did", {"idle", "busy", "stalled"});
    account.charge_cycle(1, rest, 10);
    account.charge_cycle(1, 0, 20);
    account.settle(30);
    CHECK(account.cycles(1) == 2);
    CHECK(account.cycles(2) == (rest == 2 ? 9 : 0));
    CHECK(account.total() == 30);
  }
}
