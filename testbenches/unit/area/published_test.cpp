// SPDX-License-Identifier: Apache-2.0
// The area table against a published layout that nothing in it comes from: Gemmini with an array of 16x16 for 8-bit
// integers, 256 KB of scratchpad and 64 KB of accumulators in Intel 22FFL (H. Genc and others, Gemmini, DAC 2021, area
// breakdown; the areas of logic and memories there, in um2).
#include <filesystem>

#include "platform/observe/area/table_file.h"
#include "testbenches/support/catch.h"

using namespace spica;
using base::Structure;

namespace {

constexpr double kTechnology = 22;
constexpr double kArray = 116'000, kScratchpad = 544'000, kAccumulator = 146'000;

power::Interval area_of(const base::AreaTerms& terms) {
  static const power::AreaTable table =
      area::read_table("first-order-16nm", std::filesystem::path(SPICA_SOURCE_DIR) / "configs");
  power::Interval sum;
  for (const base::AreaTerm& term : terms)
    sum += table.square_micrometres(term.structure, kTechnology) * term.amount;
  return sum;
}

// As MatrixUnit::area() has it, for elements of 8 bits.
power::Interval array() {
  base::AreaTerms terms;
  terms.add("pes", Structure::kMacInt8, 16 * 16)
      .add("pes", Structure::kFlopBit, 16 * 16 * 3 * 8)
      .add("skew", Structure::kFlopBit, 16 * 15 / 2 * (2 * 8 + 32));
  return area_of(terms);
}

power::Interval scratchpad() {  // four banks of a row of elements
  return area_of(base::AreaTerms{}.add_memory("scratchpad", Structure::kSramBit, 8 * 256 * 1024, 4, 16 * 8));
}

power::Interval accumulator() {  // two banks of a row of sums
  return area_of(
      base::AreaTerms{}.add_memory("accumulator", Structure::kTwoPortBit, 8 * 64 * 1024, 2, 16 * 32));
}

void check_inside(const power::Interval& ours, double published, double ratio) {
  CHECK(ours.low < published);
  CHECK(ours.high > published);
  CHECK(ours.nominal / published == Approx(ratio).margin(0.005));
}

}  // namespace

TEST_CASE("the areas of a published accelerator lie within the intervals of the table") {
  check_inside(scratchpad(), kScratchpad, 0.76);
  check_inside(accumulator(), kAccumulator, 0.83);
  check_inside(array(), kArray, 0.64);
  check_inside(scratchpad() + accumulator() + array(), kScratchpad + kAccumulator + kArray, 0.76);
}
