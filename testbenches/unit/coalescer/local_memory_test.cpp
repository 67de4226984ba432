// SPDX-License-Identifier: Apache-2.0
#include "models/coalescer/local_memory.h"

#include <set>

#include "testbenches/support/catch.h"

using namespace spica::coalescer;
using spica::protocol::WarpAccess;

namespace {

constexpr std::uint32_t kTop = 0x8000, kStride = 40, kThreads = 16;

Params params_of() {
  Params params;
  params.local_top = kTop;
  params.local_stride = kStride;
  params.threads = kThreads;
  return params;
}

}  // namespace

TEST_CASE("each byte of the stacks has one place, in the same range, and keeps its place in its word") {
  const LocalMemory local(params_of());
  CHECK(local.on());
  CHECK_FALSE(LocalMemory(Params{}).on());
  std::set<std::uint32_t> places;
  const std::uint32_t begin = kTop - kStride * kThreads;
  for (std::uint32_t address = begin; address < kTop; ++address) {
    CHECK(local.contains(address));
    const std::uint32_t place = local.place(address);
    CHECK(local.contains(place));
    CHECK(place % 4 == address % 4);
    CHECK(place / 4 == local.place(address / 4 * 4) / 4);
    places.insert(place);
  }
  CHECK(places.size() == kStride * kThreads);
  CHECK_FALSE(local.contains(begin - 1));
  CHECK_FALSE(local.contains(kTop));
}

TEST_CASE("the same word of the stacks of a warp's lanes is one block, in the order of the lanes") {
  const LocalMemory local(params_of());
  for (const std::uint32_t warp : {0u, 1u})
    for (std::uint32_t depth = 4; depth <= kStride; depth += 4) {
      const std::uint32_t first = local.place(kTop - 8 * warp * kStride - depth);
      CHECK(first % 32 == 0);
      for (std::uint32_t lane = 0; lane < 8; ++lane)
        CHECK(local.place(kTop - (8 * warp + lane) * kStride - depth) == first + 4 * lane);
    }
}

TEST_CASE("an access is of stacks when all its active lanes are, and mixed when some are") {
  const LocalMemory local(params_of());
  WarpAccess access;
  access.mask = 0xFF;
  for (std::uint32_t lane = 0; lane < 8; ++lane) access.address[lane] = kTop - lane * kStride - 8;
  CHECK(local.lanes_inside(access) == WarpAccess::Local::kAll);
  access.address[3] = 0x100;
  CHECK(local.lanes_inside(access) == WarpAccess::Local::kSome);
  access.mask = 0xF7;
  CHECK(local.lanes_inside(access) == WarpAccess::Local::kAll);
  access.mask = 0x08;
  CHECK(local.lanes_inside(access) == WarpAccess::Local::kNone);
}
