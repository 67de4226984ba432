// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/scoreboard.h"

#include "testbenches/support/catch.h"

using namespace spica;
using simt_core::IssueReason;
using simt_core::Scoreboard;

namespace {
constexpr std::uint64_t bit(unsigned row) { return std::uint64_t{1} << row; }
}  // namespace

TEST_CASE("a warp waits for the rows it needs, with the reason of who writes them") {
  Scoreboard scoreboard;
  scoreboard.issue(2, bit(5));
  scoreboard.produce(2, 5, IssueReason::kFpuResult);
  CHECK_FALSE(scoreboard.waits_for(2, bit(6)));
  CHECK_FALSE(scoreboard.waits_for(1, bit(5)));
  CHECK(scoreboard.unblocked(0xFF) == 0xFF);
  CHECK(scoreboard.waits_for(2, bit(5) | bit(6)));
  CHECK(scoreboard.unblocked(0xFF) == 0xFB);
  CHECK(scoreboard.reason(2) == IssueReason::kFpuResult);
  scoreboard.commit(2, bit(5));
  CHECK(scoreboard.unblocked(0xFF) == 0xFF);
  CHECK_FALSE(scoreboard.waits_for(2, bit(5)));
}

TEST_CASE("a write-back of other rows does not wake a warp that waits for a row") {
  Scoreboard scoreboard;
  scoreboard.issue(0, bit(5));
  scoreboard.issue(0, bit(7));
  REQUIRE(scoreboard.waits_for(0, bit(5)));
  scoreboard.commit(0, bit(7));
  CHECK(scoreboard.blocked() == 1);
  CHECK(scoreboard.in_flight(0) == 1);
  scoreboard.commit(0, bit(5));
  CHECK(scoreboard.blocked() == 0);
}

TEST_CASE("a warp that waits for any commit wakes at the next one, a warp that waits for others does not") {
  Scoreboard scoreboard;
  for (const unsigned warp : {0, 1}) scoreboard.issue(warp, 0);
  scoreboard.block(0, IssueReason::kDrain, Scoreboard::kAnyCommit);
  scoreboard.block(1, IssueReason::kUnitBusy);
  CHECK_FALSE(scoreboard.waits_for_others(0));
  CHECK(scoreboard.waits_for_others(1));
  scoreboard.commit(0, 0);
  scoreboard.commit(1, 0);
  CHECK(scoreboard.blocked() == 2);
  scoreboard.wake(1);
  CHECK(scoreboard.blocked() == 0);
  CHECK_FALSE(scoreboard.waits_for_others(1));
}
