// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/view.h"

#include "platform/workloads/network/align.h"
#include "testbenches/support/catch.h"

using namespace spica;
using network::Axis;
using network::Extents;
using network::View;

namespace {

std::vector<std::int64_t> offsets(const View& view) {
  std::vector<std::int64_t> all;
  network::ViewIndex index(view);
  for (std::int64_t i = network::element_count(view.extents()); i > 0; --i, index.next())
    all.push_back(index.offset());
  return all;
}

}  // namespace

TEST_CASE("merged heads have two strides in an axis, and splitting them again gives one each") {
  const View heads = View::contiguous({2, 3, 4}).permuted({1, 0, 2});  // [3, 2, 4]
  const auto joined = heads.reshaped({3, 8});
  REQUIRE(joined);
  CHECK(joined->axes[1].size() == 2);
  CHECK(offsets(*joined) == offsets(heads));
  const auto again = joined->reshaped({3, 2, 4});
  REQUIRE(again);
  CHECK(again->axes[1].size() == 1);
  CHECK(again->axes[1][0].stride == 12);
  CHECK_FALSE(heads.reshaped({2, 12}));  // 2 does not divide 3, and the strides differ
}

TEST_CASE("repeated heads are a stride of zero") {
  const auto repeated = View::contiguous({2, 1, 4}).expanded({2, 3, 4}).reshaped({6, 4});
  REQUIRE(repeated);
  CHECK(offsets(*repeated) ==
        std::vector<std::int64_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7});
}

TEST_CASE("a slice of merged heads is a view where it covers whole heads, or is inside one") {
  const View joined = *View::contiguous({2, 3, 4}).permuted({1, 0, 2}).reshaped({3, 8});
  const auto second = joined.sliced(1, 4, 1, 4);
  REQUIRE(second);
  CHECK(offsets(*second) == std::vector<std::int64_t>{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  const auto inside = joined.sliced(1, 5, 2, 2);
  REQUIRE(inside);
  CHECK(offsets(*inside) == std::vector<std::int64_t>{13, 15, 17, 19, 21, 23});
  CHECK_FALSE(joined.sliced(1, 3, 1, 2));  // the end of one head and the start of the other
}

TEST_CASE("loops of operands are as few as their strides allow") {
  const auto loops = [](const std::vector<Axis>& operands) {
    const auto found = network::align(operands);
    REQUIRE(found);
    std::vector<std::int64_t> extents;
    for (const network::Loop& loop : *found) extents.push_back(loop.extent);
    return extents;
  };
  CHECK(loops({{{24, 1}}, {{4, 6}, {6, 1}}}) == std::vector<std::int64_t>{24});
  CHECK(loops({{{24, 1}}, {{4, 0}, {6, 1}}}) == std::vector<std::int64_t>{4, 6});
  CHECK(loops({{{4, 1}, {6, 4}}, {{2, 12}, {12, 1}}}) == std::vector<std::int64_t>{4, 6});
  CHECK_FALSE(network::align({{{3, 1}, {8, 3}}, {{4, 1}, {6, 4}}}));
}
