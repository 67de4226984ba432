// SPDX-License-Identifier: Apache-2.0

#include "models/coalescer/lane_sectors.h"

#include "testbenches/support/catch.h"

using namespace spica;

namespace {

coalescer::Params of_line(std::uint64_t sectors) {
  coalescer::Params p;
  p.lanes = 32;
  p.sectors = sectors;
  p.sector_bytes = 128 / sectors;
  return p;
}

}  // namespace

TEST_CASE("lanes name the sectors of the line that they are on") {
  const coalescer::LaneSectors sectors(of_line(4));
  protocol::WarpAccess access;
  access.address = {0x1000, 0x1044, 0x1048, 0x107C};
  CHECK(sectors.of(access, 0b0001, false) == 0b0001);
  CHECK(sectors.of(access, 0b0110, false) == 0b0100);
  CHECK(sectors.of(access, 0b1111, false) == 0b1101);
  for (unsigned lane = 0; lane < 32; ++lane) access.address[lane] = 0x2010 + 4 * lane;
  CHECK(sectors.of(access, 0x0000FFFF, true) == 0b0111);  // sixteen words from the fourth on
  CHECK(sectors.of(access, 0x0FFFFFFF, true) == 0b1111);
  CHECK(sectors.of(access, 0xF0000000, true) == 0b0001);  // in the next line
  CHECK(sectors.on());
  CHECK_FALSE(coalescer::LaneSectors(of_line(1)).on());
}
