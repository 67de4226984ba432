// SPDX-License-Identifier: Apache-2.0
#include "models/power/law.h"

#include <algorithm>
#include <cmath>

#include "models/power/block_sizes.h"
#include "models/power/energy_table.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::power;

namespace {

/// A quarter stays, the rest follows the bits to 0.4 ... 0.5 ... 0.6, known from 1,024 to 4,096 bits.
Law quarter_and_bits() {
  return {"mine", {{0.25, {}}, {0.75, {{Size::kBits, 0.4, 0.5, 0.6, 1024, 4096}}}}, false, ""};
}

Sizes bits(double value) {
  Sizes sizes;
  sizes[Size::kBits] = value;
  return sizes;
}

bool all_known(const Scaling& scaling) {
  return std::all_of(scaling.departures.begin(), scaling.departures.end(),
                     [](const Departure& one) { return one.known; });
}

}  // namespace

TEST_CASE("at the sizes an energy holds for, a law changes nothing") {
  const Scaling scaling = scaling_of(quarter_and_bits(), bits(2048), bits(2048));
  CHECK(scaling.factor.low == 1);
  CHECK(scaling.factor.nominal == 1);
  CHECK(scaling.factor.high == 1);
  CHECK(scaling.departures.empty());
}

TEST_CASE("a law adds its shares, and its exponents widen the interval in both directions") {
  for (const double now : {128.0, 2048.0 * 16}) {
    const double ratio = now / 2048;
    const Scaling scaling = scaling_of(quarter_and_bits(), bits(2048), bits(now));
    CHECK(scaling.factor.nominal == Approx(0.25 + 0.75 * std::sqrt(ratio)));
    CHECK(scaling.factor.low == Approx(0.25 + 0.75 * std::min(std::pow(ratio, 0.4), std::pow(ratio, 0.6))));
    CHECK(scaling.factor.high == Approx(0.25 + 0.75 * std::max(std::pow(ratio, 0.4), std::pow(ratio, 0.6))));
    CHECK(scaling.uncertainty() == Approx(scaling.factor.high / scaling.factor.nominal - 1));
  }
}

TEST_CASE(
    "a size is known only when the energy's own size and the one wanted are both in the range of the source") {
  CHECK(all_known(scaling_of(quarter_and_bits(), bits(2048), bits(4096))));
  CHECK_FALSE(all_known(scaling_of(quarter_and_bits(), bits(2048), bits(4097 * 2))));
  CHECK_FALSE(all_known(scaling_of(quarter_and_bits(), bits(8192), bits(4096))));
}

TEST_CASE("sizes are read by name, and nothing else is") {
  const std::optional<Sizes> sizes = parse_sizes("bits 131072, chip_side 1.7");
  REQUIRE(sizes);
  CHECK((*sizes)[Size::kBits] == 131072);
  CHECK((*sizes)[Size::kChipSide] == 1.7);
  CHECK((*sizes)[Size::kLanes] == 0);
  CHECK(parse_sizes(""));
  for (const char* wrong : {"bit 8", "bits", "bits 0", "bits -1", "bits many", "8"})
    CHECK_FALSE(parse_sizes(wrong));
}

TEST_CASE("laws and sizes read as text") {
  CHECK(law_text(quarter_and_bits()) == "0.25 + 0.75 bits^0.5");
  CHECK(size_text(Size::kBits, 8 * 65536) == "64 KiB");
  CHECK(size_text(Size::kLanes, 8) == "8 lanes");
  CHECK(size_text(Size::kChipSide, 1.7) == "1.7 mm");
}

TEST_CASE("the sizes of a block are those of the named memory and crossbar, its properties and its area") {
  base::BlockType type{"mine"};
  Block block;
  block.type = &type;
  block.properties = {{"lanes", 16}, {"others", 3}};
  block.area.add_memory("data", base::Structure::kSramBit, 65536, 4, 128)
      .add_array("queue", base::Structure::kFlopBit, 64, 2, 32)
      .add_crossbar("ports", 6, 4, 32);
  const AreaTable areas;  // of which nothing is known: no lengths
  const BlockSizes sizes(areas, {block});
  const Sizes data = sizes.of(block, "data", "ports"), queue = sizes.of(block, "queue", "");
  CHECK(data[Size::kBits] == 16384);
  CHECK(data[Size::kWidth] == 128);
  CHECK(data[Size::kInputs] == 6);
  CHECK(data[Size::kOutputs] == 4);
  CHECK(data[Size::kLanes] == 16);
  CHECK(queue[Size::kBits] == 32);
  CHECK(queue[Size::kInputs] == 0);
}
