// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "models/coalescer/lane_groups.h"

using namespace spica;

namespace {

/// All groups in the order in which they leave, then the lanes that stay alone.
std::vector<std::uint32_t> groups_of(const std::vector<std::uint32_t>& addresses, std::uint32_t mask) {
  protocol::WarpAccess access;
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) access.address[lane] = addresses[lane];
  std::vector<std::uint32_t> groups;
  while (const std::uint32_t group = coalescer::next_group(access, mask, 5)) {
    groups.push_back(group);
    mask &= ~group;
  }
  groups.push_back(mask);
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
