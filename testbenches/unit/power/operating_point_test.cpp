// SPDX-License-Identifier: Apache-2.0
#include "models/power/operating_point.h"

#include <cmath>

#include "testbenches/support/catch.h"

using namespace spica::power;

namespace {

/// 2 GHz at 0.8 V, from 0.5 to 1 V.
struct Ranged {
  Ranged() {
    table.voltage = 0.8;
    table.highest_clock = {2000, 0.3, 1.5, 0.5, 1, ""};
  }
  EnergyTable table;
};

}  // namespace

TEST_CASE("the highest clock is that of the table at its voltage, and follows the alpha-power law") {
  const Ranged ranged;
  CHECK(highest_mhz(ranged.table, 0.8) == Approx(2000));
  CHECK(highest_mhz(ranged.table, 0.5) ==
        Approx(2000 * (std::pow(0.2, 1.5) / 0.5) / (std::pow(0.5, 1.5) / 0.8)));
  CHECK(highest_mhz(ranged.table, 0.3) == 0);
}

TEST_CASE("a voltage or a clock outside the table's range is named with the range") {
  const Ranged ranged;
  CHECK(problem_of(ranged.table, {16, 0.8, 400}, 2000).empty());
  CHECK_THAT(problem_of(ranged.table, {16, 0.3, 400}, 400),
             Catch::Contains("0.3 V") && Catch::Contains("0.5 to 1 V"));
  CHECK_THAT(problem_of(ranged.table, {16, 0.8, 400}, 2001),
             Catch::Contains("clock_mhz: 2001 MHz") && Catch::Contains("2000 MHz at 0.8 V"));
  CHECK(problem_of(EnergyTable(), {16, 0.3, 400}, 10000).empty());  // nothing is known
}

TEST_CASE("another technology has the interval of its exponent, the table's own has none") {
  Ranged ranged;
  ranged.table.technology_exponent = 1;
  ranged.table.technology_exponent_error = 0.5;
  const Interval own = technology_factor(ranged.table, 16), quarter = technology_factor(ranged.table, 4);
  CHECK(own.low == 1);
  CHECK(own.high == 1);
  CHECK(quarter.low == Approx(0.125));
  CHECK(quarter.nominal == Approx(0.25));
  CHECK(quarter.high == Approx(0.5));
}
