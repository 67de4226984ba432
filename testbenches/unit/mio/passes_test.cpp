// SPDX-License-Identifier: Apache-2.0
#include "models/mio/passes.h"

#include <random>
#include <set>

#include "testbenches/support/catch.h"

using namespace spica::mio;
using spica::protocol::WarpAccess;

namespace {

WarpAccess access(std::uint32_t first, std::uint32_t stride, std::uint32_t mask = ~0u) {
  WarpAccess result;
  result.mask = mask;
  for (unsigned lane = 0; lane < 32; ++lane) result.address[lane] = first + lane * stride;
  return result;
}

}  // namespace

TEST_CASE(
    "a whole warp on consecutive words is on four sectors, or on five when it does not begin with one") {
  CHECK(sectors_of(access(0x1000, 4)) == 4);
  CHECK(sectors_of(access(0x1010, 4)) == 5);
  CHECK(sectors_of(access(0x1000, 0)) == 1);
  CHECK(sectors_of(access(0x1000, 32)) == 32);
  CHECK(sectors_of(access(0x1000, 4096)) == 32);
  CHECK(sectors_of(access(0x1000, 4, 0)) == 0);
  CHECK(sectors_of(access(0x1000, 4, 0x8000'0001)) == 2);
  CHECK(sectors_of(access(0xFFFF'FF80, 4)) == 4);
}

TEST_CASE("the sectors of random accesses, near and far, are counted like by a set") {
  std::mt19937 random(3);
  for (int round = 0; round < 1000; ++round) {
    WarpAccess random_access;
    random_access.mask = static_cast<std::uint32_t>(random());
    std::set<std::uint32_t> sectors;
    const std::uint32_t span = 1u << random() % 31;
    for (unsigned lane = 0; lane < 32; ++lane) {
      random_access.address[lane] = static_cast<std::uint32_t>(random()) % span;
      if ((random_access.mask >> lane & 1) != 0) sectors.insert(random_access.address[lane] / 32);
    }
    REQUIRE(sectors_of(random_access) == sectors.size());
  }
}

TEST_CASE("bytes take a cycle for each whole or begun width of the path") {
  CHECK(cycles_for(0, 128) == 1);
  CHECK(cycles_for(128, 128) == 1);
  CHECK(cycles_for(129, 128) == 2);
  CHECK(cycles_for(128, 64) == 2);
  WarpAccess halves = access(0, 2);
  halves.bytes = 2;
  CHECK(bytes_of(halves) == 64);
}
