// SPDX-License-Identifier: Apache-2.0
#include "models/multicast/load_request_table.h"

#include "testbenches/support/catch.h"

using spica::multicast::LoadRequestTable;
using Entry = LoadRequestTable::Entry;

namespace {

/// Warp w is on core w mod 4.
Entry entry(unsigned warp, std::uint32_t address, std::uint8_t source, std::uint8_t destination,
            std::uint32_t load = 0) {
  return {{address, source, destination},
          static_cast<std::uint16_t>(warp % 4),
          static_cast<std::uint16_t>(warp / 4),
          load};
}
bool any(const Entry&) { return true; }

/// What a request does: true, it finds a partner; else it is put into the table.
bool request(LoadRequestTable& table, const Entry& one) {
  Entry partner;
  if (table.take(one, any, partner)) return true;
  REQUIRE(table.insert(one));
  return false;
}

}  // namespace

TEST_CASE(
    "a request finds the entry of another warp, which leaves the table (lee section 3.2, first example)") {
  LoadRequestTable table(192);
  request(table, entry(0, 0x0000, 56, 56, 7));
  request(table, entry(2, 0x4000, 40, 112, 8));
  Entry partner;
  REQUIRE(table.take(entry(1, 0x0000, 56, 56), any, partner));
  CHECK((partner.core == 0 && partner.warp == 0 && partner.load == 7));
  CHECK(table.size() == 1);
}

TEST_CASE("a request with no entry like it is put into the table (second example)") {
  LoadRequestTable table(192);
  CHECK_FALSE(request(table, entry(0, 0x0000, 56, 56)));
  CHECK_FALSE(request(table, entry(3, 0x4080, 40, 112)));
  CHECK(table.size() == 2);
}

TEST_CASE("address, source and destination must all be the same") {
  LoadRequestTable table(192);
  request(table, entry(0, 0x100, 5, 6));
  CHECK_FALSE(request(table, entry(1, 0x104, 5, 6)));
  CHECK_FALSE(request(table, entry(1, 0x100, 4, 6)));
  CHECK_FALSE(request(table, entry(1, 0x100, 5, 7)));
  CHECK(table.size() == 4);
  CHECK(request(table, entry(1, 0x100, 5, 6)));
}

TEST_CASE("a warp is no partner of itself, and warps of different cores with the same number are two") {
  LoadRequestTable table(192);
  CHECK_FALSE(request(table, entry(0, 0x100, 5, 6)));
  CHECK_FALSE(request(table, entry(0, 0x100, 5, 6)));
  CHECK(table.size() == 2);
  CHECK(request(table, entry(1, 0x100, 5, 6)));
  CHECK(request(table, entry(4, 0x100, 5, 6)));  // the same core as warp 0
  CHECK(table.size() == 0);
}

TEST_CASE("the oldest entry is taken, of those that fit") {
  LoadRequestTable table(192);
  REQUIRE(table.insert(entry(0, 0x100, 5, 6, 1)));
  REQUIRE(table.insert(entry(4, 0x100, 5, 6, 2)));
  REQUIRE(table.insert(entry(1, 0x100, 5, 6, 3)));
  Entry partner;
  const auto other_core = [](const Entry& one) { return one.core != 0; };
  REQUIRE(table.take(entry(8, 0x100, 5, 6), other_core, partner));
  CHECK(partner.load == 3);
  REQUIRE(table.take(entry(8, 0x100, 5, 6), any, partner));
  CHECK(partner.load == 1);
}

TEST_CASE("a full table takes nothing, and a load that leaves makes room") {
  LoadRequestTable table(2);
  REQUIRE(table.insert(entry(0, 0x000, 1, 2, 1)));
  REQUIRE(table.insert(entry(0, 0x100, 1, 2, 2)));
  CHECK_FALSE(table.insert(entry(0, 0x200, 1, 2, 3)));
  table.remove(1);
  CHECK(table.size() == 1);
  CHECK(table.insert(entry(0, 0x200, 1, 2, 3)));
}
