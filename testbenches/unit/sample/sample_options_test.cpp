// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/sample/sample_options.h"

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"

using namespace spica::sample;

TEST_CASE("the options of a sample are read in any order, as shares or in percent", "[sample]") {
  const SampleOptions options = parse_sample("seed=7,max=0.25,error=2%,confidence=99%");
  CHECK(options.seed == 7);
  CHECK(options.most == 0.25);
  CHECK(options.error == 0.02);
  CHECK(options.confidence == 0.99);
  CHECK(parse_sample("auto").error == 0.01);
  CHECK(parse_sample("error=0").error == 0);
}

TEST_CASE("options of a sample that are wrong are refused with those that are allowed", "[sample]") {
  for (const char* text :
       {"", "1%", "error", "error=", "error=-1%", "error=60%", "error=1%%", "error=nan", "error=1%,error=2%",
        "confidence=100%", "confidence=10%", "max=0", "max=101%", "seed=-1", "seed=1.5",
        "seed=99999999999999999999", "unit=tile", "auto,seed=1", "error=1% "})
    CHECK_THROWS_AS(parse_sample(text), spica::input::UserError);
}
