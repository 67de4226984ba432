// SPDX-License-Identifier: Apache-2.0
#include "platform/base/text/number_format.h"

#include "testbenches/support/catch.h"

using namespace spica::text;

TEST_CASE("numbers are short") {
  CHECK(scaled(0) == "0");
  CHECK(scaled(42) == "42");
  CHECK(scaled(0.25) == "0.25");
  CHECK(scaled(999) == "999");
  CHECK(scaled(1000) == "1 k");
  CHECK(scaled(310'000) == "310 k");
  CHECK(scaled(1'240'000) == "1.24 M");
  CHECK(scaled(99'960) == "100 k");
  CHECK(scaled(999'499) == "999 k");
  CHECK(scaled(999'600) == "1 M");
  CHECK(scaled(-1'500) == "-1.5 k");
  CHECK(scaled(2e18) == "2000 P");
  CHECK(scaled(3.2e6, "cycles/s") == "3.2 Mcycles/s");
  CHECK(scaled(12, "cycles/s") == "12 cycles/s");
}

TEST_CASE("long numbers are grouped by three") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(123'456) == "123,456");
  CHECK(grouped(1'234'567) == "1,234,567");
}

TEST_CASE("percentages have one digit and tiny ones do not vanish") {
  CHECK(percent(0) == "0.0 %");
  CHECK(percent(0.42) == "42.0 %");
  CHECK(percent(1) == "100.0 %");
  CHECK(percent(0.0004) == "<0.1 %");
}
