// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/product_sums.h"

#include "testbenches/support/catch.h"

using namespace spica;

namespace {

using Work = protocol::UnitWork;
using Sums = check::ProductSums;

/// Command `number` adds to, or sets, rows 4 to 7; or stores them.
struct Products {
  Sums sums{8};
  std::size_t compute(std::uint32_t number, bool adds, std::uint32_t site = 0) {
    protocol::Origin origin{};
    origin.command = number;
    Work work{Work::Kind::kCompute, 1, origin, {}, {protocol::Piece::Space::kAccumulator, true, 4, 4, 0, 1}};
    work.accumulate = adds;
    last = sums.work(work, site);
    return last.size();
  }
  std::size_t store(std::uint32_t number) {
    protocol::Origin origin{};
    origin.command = number;
    return sums
        .work({Work::Kind::kStore, 1, origin, {protocol::Piece::Space::kAccumulator, false, 4, 4, 0, 1}, {}},
              0)
        .size();
  }
  std::vector<Sums::Foreign> last;
};

}  // namespace

TEST_CASE("a product that goes on, is stored, and makes room for the next is in order") {
  Products p;
  CHECK(p.compute(1, false) == 0);
  CHECK(p.compute(2, true) == 0);
  CHECK(p.store(3) == 0);
  CHECK(p.compute(4, false) == 0);
  CHECK(p.compute(5, true) == 0);
}

TEST_CASE("adding to sums that are stored is said of each row, with the command that began them") {
  Products p;
  p.compute(1, false, 17);
  p.store(2);
  CHECK(p.compute(3, true) == 4);
  CHECK(p.last[0].row == 4);
  CHECK(p.last[3].row == 7);
  CHECK(p.last[0].begin == 17);
}

TEST_CASE("a product that goes on behind one that has overwritten its sums is found") {
  Products p;
  p.compute(1, false);
  p.compute(2, false, 5);  // nobody has stored those of 1
  CHECK(p.compute(3, true) == 4);
  CHECK(p.last[0].begin == 5);
}

TEST_CASE(
    "sums that are stored twice are another product's where those were overwritten before anything stored them") {
  Products p;
  p.compute(1, false);
  p.compute(2, false, 5);
  CHECK(p.store(3) == 0);
  CHECK(p.store(4) == 4);
}

TEST_CASE("sums may be stored twice where none were lost, and a product may be dropped") {
  Products p;
  p.compute(1, false);
  CHECK(p.store(2) == 0);
  CHECK(p.store(3) == 0);
  p.compute(4, false);
  p.compute(5, false);  // drops those of 4
  CHECK(p.store(6) == 0);
  p.compute(7, false);
  CHECK(p.store(8) == 0);
  CHECK(p.store(9) == 0);
}

TEST_CASE("rows outside the accumulator and first sums of a row say nothing") {
  Sums sums(4);
  protocol::Origin origin{};
  origin.command = 1;
  Work work{Work::Kind::kCompute, 1, origin, {}, {protocol::Piece::Space::kAccumulator, true, 4, 4, 0, 1}};
  work.accumulate = true;
  CHECK(sums.work(work, 0).empty());
}
