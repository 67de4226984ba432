// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/unaligned_path.h"

#include <array>
#include <utility>
#include <vector>

#include "testbenches/support/catch.h"

using namespace spica::shared_memory;

namespace {

/// Serves everything offered until nothing is left; returns the offers in order.
std::vector<std::pair<unsigned, std::uint32_t>> drain(UnalignedPath& path,
                                                      std::array<std::uint32_t, 4> lanes) {
  std::vector<std::pair<unsigned, std::uint32_t>> offers;
  while (true) {
    std::uint64_t cores = 0;
    for (unsigned core = 0; core < 4; ++core)
      if (lanes[core] != 0) cores |= 1u << core;
    if (cores == 0) return offers;
    const unsigned core = path.pick_core(cores, [&](unsigned c) { return lanes[c]; });
    const std::uint32_t offered = path.pick_lanes(core, lanes[core]);
    offers.emplace_back(core, offered);
    lanes[core] &= ~offered;
    path.served(core, 31 - static_cast<unsigned>(__builtin_clz(offered)));
  }
}

using Offers = std::vector<std::pair<unsigned, std::uint32_t>>;

}  // namespace

TEST_CASE("fully serialised: one lane at a time, lanes of a core first, then the next core") {
  UnalignedPath path(Unaligned::kFullySerialised, 4, 8);
  CHECK(drain(path, {0b101, 0, 0b10, 0}) == Offers{{0, 0b1}, {0, 0b100}, {2, 0b10}});
  // The turn stands behind core 2, lane 1.
  CHECK(drain(path, {0b1, 0b1, 0b101, 0b1}) == Offers{{2, 0b100}, {3, 0b1}, {0, 0b1}, {1, 0b1}, {2, 0b1}});
}

TEST_CASE("fully serialised: the last lane of the last core hands the turn to the first") {
  UnalignedPath path(Unaligned::kFullySerialised, 4, 8);
  CHECK(drain(path, {0, 0, 0, 0x80}) == Offers{{3, 0x80}});
  CHECK(drain(path, {1, 0, 0, 0x80}) == Offers{{0, 1}, {3, 0x80}});
}

TEST_CASE("core serialised: all lanes of one core at a time, round robin over cores") {
  UnalignedPath path(Unaligned::kCoreSerialised, 4, 8);
  CHECK(drain(path, {0xF0, 0x0F, 0, 0xFF}) == Offers{{0, 0xF0}, {1, 0x0F}, {3, 0xFF}});
  CHECK(drain(path, {0, 1, 1, 1}) == Offers{{1, 1}, {2, 1}, {3, 1}});
  CHECK(drain(path, {1, 0, 0, 1}) == Offers{{0, 1}, {3, 1}});
}

TEST_CASE("what was not served keeps its turn") {
  UnalignedPath path(Unaligned::kFullySerialised, 4, 8);
  const auto lanes = [](unsigned) { return 0xFFu; };
  for (int cycle = 0; cycle < 3; ++cycle) {
    CHECK(path.pick_core(0b1111, lanes) == 0);
    CHECK(path.pick_lanes(0, 0xFF) == 1);
  }
  path.served(0, 0);
  CHECK(path.pick_lanes(0, 0xFE) == 2);
  path.reset();
  CHECK(path.pick_lanes(0, 0xFF) == 1);
}
