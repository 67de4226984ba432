// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "models/coalescer/lane_groups.h"
#include "testbenches/support/catch.h"

using namespace spica;

namespace {

/// All groups in the order in which they leave, then the lanes that stay alone.
std::vector<std::uint32_t> groups_of(const std::vector<std::uint32_t>& addresses, std::uint32_t mask) {
  protocol::WarpAccess access;
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) access.address[lane] = addresses[lane];
  access.mask = mask;
  coalescer::LaneGroups lanes(5, 8);
  lanes.begin(access);
  std::vector<std::uint32_t> groups;
  while (const std::uint32_t group = lanes.next()) {
    CHECK(lanes.found() == group);
    groups.push_back(group);
    lanes.sent(group);
  }
  groups.push_back(lanes.left());
  return groups;
}

}  // namespace

TEST_CASE("lanes in one block make one group") {
  CHECK(groups_of({0, 4, 8, 12, 16, 20, 24, 28}, 0xFF) == std::vector<std::uint32_t>{0xFF, 0});
  CHECK(groups_of({0, 4, 8, 12, 16, 20, 24, 28}, 0x5A) == std::vector<std::uint32_t>{0x5A, 0});
}

TEST_CASE("the lowest lane with a partner leads, lanes alone come last") {
  // Lane 0 is alone; 1 and 4 share a block, 2 and 3 another.
  CHECK(groups_of({0x100, 0x40, 0x80, 0x84, 0x5C}, 0x1F) ==
        std::vector<std::uint32_t>{0b10010, 0b01100, 0b00001});
}

TEST_CASE("lanes with the same word are partners") {
  CHECK(groups_of({64, 64, 128}, 0x7) == std::vector<std::uint32_t>{0b011, 0b100});
}

TEST_CASE("lanes on both sides of a block boundary are not partners") {
  CHECK(groups_of({28, 32}, 0x3) == std::vector<std::uint32_t>{0b11});
}

TEST_CASE("inactive lanes take no part") {
  CHECK(groups_of({0, 4, 8, 64}, 0b1001) == std::vector<std::uint32_t>{0b1001});
}

TEST_CASE("the whole warp on consecutive words is a row, whose groups are those of its blocks") {
  protocol::WarpAccess access;
  access.mask = 0xFF;
  for (unsigned lane = 0; lane < 8; ++lane) access.address[lane] = 0x110 + 4 * lane;
  coalescer::LaneGroups lanes(5, 8);
  lanes.begin(access);
  CHECK(lanes.is_row());
  CHECK(groups_of({0x110, 0x114, 0x118, 0x11C, 0x120, 0x124, 0x128, 0x12C}, 0xFF) ==
        std::vector<std::uint32_t>{0x0F, 0xF0, 0});
  // One lane in front of the block, one behind it.
  CHECK(groups_of({0x11C, 0x120, 0x124, 0x128, 0x12C, 0x130, 0x134, 0x138}, 0xFF) ==
        std::vector<std::uint32_t>{0xFE, 0x01});
  CHECK(groups_of({0x104, 0x108, 0x10C, 0x110, 0x114, 0x118, 0x11C, 0x120}, 0xFF) ==
        std::vector<std::uint32_t>{0x7F, 0x80});
  access.mask = 0xFE;
  lanes.begin(access);
  CHECK_FALSE(lanes.is_row());
  access.mask = 0xFF;
  access.bytes = 2;
  lanes.begin(access);
  CHECK_FALSE(lanes.is_row());
}

TEST_CASE("a row in one block is a line") {
  protocol::WarpAccess access;
  access.mask = 0xFF;
  const auto row = [&](std::uint32_t first) {
    for (unsigned lane = 0; lane < 8; ++lane) access.address[lane] = first + 4 * lane;
  };
  const coalescer::LaneGroups lanes(5, 8), wide(6, 8), narrow(4, 8);
  row(0x120);
  CHECK(lanes.is_line(access));
  CHECK(wide.is_line(access));
  CHECK_FALSE(narrow.is_line(access));
  row(0x124);
  CHECK_FALSE(lanes.is_line(access));
  row(0x110);
  CHECK(wide.is_line(access));
  std::swap(access.address[3], access.address[4]);
  CHECK_FALSE(wide.is_line(access));
}
