// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/sample/unit_loop.h"

#include "testbenches/support/catch.h"

using namespace spica::sample;
using spica::protocol::UnitMark;

namespace {

constexpr auto kLoop = UnitMark::Kind::kLoop, kUnit = UnitMark::Kind::kUnit;

/// A nest of 300 in steps of 30 and 97 in steps of 10: 100 units, of which 0 to 1, 47, 40 and 99 are done.
struct Nest {
  using Place = std::pair<unsigned, unsigned>;
  unsigned begun = 0;  // segments
  std::uint64_t units = 0, row = 0;
  SegmentQueue queue{[this] { ++begun; }};
  UnitLoop loop{
      queue, [this](std::uint64_t count, std::uint64_t of_row) {
        units = count;
        row = of_row;
        for (const Segment segment : {Segment{0, 2}, Segment{47, 48}, Segment{40, 41}, Segment{99, 100}})
          queue.add(segment);
        queue.close();
        return std::string();
      }};

  /// All units of a warp, as the program does them.
  std::vector<Place> run(unsigned core, unsigned warp) {
    const auto mark = [&](UnitMark::Kind kind, unsigned value) {
      return loop.follow({core, warp, kind, value});
    };
    for (const unsigned value : {300u, 30u, 97u, 10u}) CHECK(mark(kLoop, value) == value);
    std::vector<Place> done;
    for (unsigned i = 0; i < 300; i += 30)
      for (unsigned j = 0; j < 97; j += 10) {
        i = mark(kUnit, i);
        j = mark(kUnit, j);
        done.emplace_back(i, j);
      }
    return done;
  }
};

}  // namespace

TEST_CASE("each warp does the units of the sample, and then its loops end", "[sample]") {
  Nest nest;
  const std::vector<Nest::Place> wanted{{0, 0}, {0, 10}, {120, 70}, {120, 0}, {270, 90}};
  CHECK(nest.run(0, 0) == wanted);
  CHECK(nest.units == 100);
  CHECK(nest.row == 10);
  CHECK(nest.begun == 4);
  CHECK(nest.run(0, 1) == wanted);
  CHECK(nest.run(1, 0) == wanted);
  CHECK(nest.begun == 4);  // by the first warp
  CHECK(nest.queue.taken() == 5);
  CHECK(nest.loop.refusal().empty());
}

TEST_CASE("programs whose units do not add up are refused, and then left alone", "[sample]") {
  const auto refusal = [](const std::vector<UnitMark>& marks) {
    Nest nest;
    for (const UnitMark& mark : marks) nest.loop.follow(mark);
    CHECK(nest.loop.follow({0, 0, kUnit, 77}) == 77);
    return nest.loop.refusal();
  };
  const UnitMark extent{0, 0, kLoop, 100}, step{0, 0, kLoop, 1}, unit{0, 0, kUnit, 0};
  CHECK(refusal({extent, step, unit, {0, 1, kLoop, 99}, {0, 1, kLoop, 1}, {0, 1, kUnit, 0}}) ==
        "warps have different loops of units, of 100 and 99 units");
  CHECK(refusal({extent, step, unit, extent}) == "the program has more than one nest of loops of units");
  const std::string outside = "a warp begins a unit outside a loop of units";
  CHECK(refusal({unit}) == outside);
  CHECK(refusal({extent, unit}) == outside);
  CHECK(refusal({extent, {0, 0, kLoop, 0}, unit}) == outside);
  CHECK(refusal({extent, step, unit, unit, unit, unit, unit, unit}) ==
        "a warp begins more units than its loops have");
}
