// SPDX-License-Identifier: Apache-2.0
#include "models/barrier/arrival_table.h"

#include "testbenches/support/catch.h"

using namespace spica::barrier;

TEST_CASE("a row is complete with the last core and is cleared by its release") {
  ArrivalTable table(8, 4);
  CHECK(table.empty());
  const unsigned order[] = {2, 0, 3, 1};
  const unsigned cycles[] = {10, 12, 12, 20};
  for (unsigned i = 0; i < 4; ++i) {
    CHECK_FALSE(table.any_complete());
    CHECK(table.arrive(order[i], 5, cycles[i]));
  }
  CHECK(table.arrived(5) == 0b1111);
  CHECK(table.opened(5) == 10);
  REQUIRE(table.any_complete());
  const ArrivalTable::Release release = table.release();
  CHECK(release.id == 5);
  CHECK(release.first == 10);
  CHECK(release.last == 20);
  CHECK(release.core_cycles == (20 - 10) + (20 - 12) + (20 - 12) + 0);
  CHECK_FALSE(table.any_complete());
  CHECK(table.arrived(5) == 0);
  CHECK(table.empty());
}

TEST_CASE("a second arrival of a core at an open row is lost") {
  ArrivalTable table(8, 2);
  CHECK(table.arrive(0, 1, 1));
  CHECK_FALSE(table.arrive(0, 1, 2));
  CHECK(table.arrived(1) == 0b01);
  CHECK(table.arrive(0, 2, 3));  // another id is another row
  CHECK_FALSE(table.any_complete());
}

TEST_CASE("complete rows are released round robin among ids") {
  ArrivalTable table(4, 1);
  for (const unsigned id : {3u, 0u, 2u}) table.arrive(0, id, 1);
  CHECK(table.release().id == 0);
  table.arrive(0, 0, 2);
  table.arrive(0, 1, 2);
  CHECK(table.release().id == 1);
  CHECK(table.release().id == 2);
  CHECK(table.release().id == 3);
  CHECK(table.release().id == 0);
  CHECK_FALSE(table.any_complete());
}

TEST_CASE("a table of 32 cores uses every bit") {
  ArrivalTable table(1, 32);
  for (unsigned core = 0; core < 31; ++core) table.arrive(core, 0, core);
  CHECK_FALSE(table.any_complete());
  table.arrive(31, 0, 31);
  CHECK(table.any_complete());
  table.reset();
  CHECK(table.empty());
  CHECK_FALSE(table.any_complete());
}

TEST_CASE("a core that leaves is no longer waited for, until the barrier is shared again") {
  ArrivalTable table(4, 4);
  table.share(2, 0b0111);
  table.arrive(0, 2, 5);
  table.leave(2, 1);
  CHECK_FALSE(table.any_complete());
  CHECK(table.cores(2) == 0b0101);
  SECTION("the last one arrives") {
    table.arrive(2, 2, 9);
    REQUIRE(table.any_complete());
    const ArrivalTable::Release release = table.release();
    CHECK(release.cores == 0b0101);
    CHECK(release.without_some);
    CHECK(release.core_cycles == 9 - 5);
  }
  SECTION("the last one leaves") {
    table.leave(2, 2);
    REQUIRE(table.any_complete());
    CHECK(table.release().cores == 0b0001);
  }
  SECTION("nobody waits when the last one leaves") {
    table.leave(2, 2);
    CHECK(table.release().id == 2);
    table.leave(2, 0);
    CHECK_FALSE(table.any_complete());
  }
  table.share(2, 0b0011);
  table.arrive(0, 2, 20);
  CHECK_FALSE(table.any_complete());
  table.arrive(1, 2, 21);
  REQUIRE(table.any_complete());
  CHECK_FALSE(table.release().without_some);
}
