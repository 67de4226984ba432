// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/device_choice.h"

#include <stdexcept>

#include "platform/opencl/driver/run_files.h"
#include "testbenches/support/catch.h"

using namespace spica::opencl;

using Texts = std::vector<std::string>;

TEST_CASE("devices are configurations with a mode, settings and checks") {
  const auto choices =
      device_choices("virgo:check=hazards:mode=cycle:check=memory,a\\:b.yaml:set=run.x=1,c\\,d");
  REQUIRE(choices.size() == 3);
  CHECK(choices[0].configuration == "virgo");
  CHECK(choices[0].settings == Texts{"run.mode=cycle"});
  CHECK(choices[0].checks == Texts{"hazards", "memory"});
  CHECK(choices[1].configuration == "a:b.yaml");
  CHECK(choices[1].settings == Texts{"run.mode=fast", "run.x=1"});
  CHECK(choices[1].checks.empty());
  CHECK(choices[2].configuration == "c,d");
  CHECK(device_choices("").front().configuration == "virgo");
}

TEST_CASE("a choice of a device says what is recorded of it") {
  const auto choice =
      device_choices("virgo:energy:trace=a.json:trace=b\\:c.log:out=here:report=page.html:gdb=12").front();
  CHECK(choice.energy);
  CHECK(choice.traces == Texts{"a.json", "b:c.log"});
  CHECK(choice.out == "here");
  CHECK(choice.report == "page.html");
  CHECK(choice.debugged_launch == 12);
  CHECK(!device_choices("virgo").front().energy);
  CHECK(device_choices("virgo").front().debugged_launch == 0);
}

TEST_CASE("later machines of a run have a number in the names of their files") {
  CHECK(numbered("out/page.html", 1) == "out/page.html");
  CHECK(numbered("out/page.html", 2) == "out/page-2.html");
  CHECK(numbered("results", 10) == "results-10");
}

TEST_CASE("all errors of a choice of devices are reported together") {
  try {
    device_choices("virgo:mode=slow:check=races,:colour=red:gdb=0:gdb=x");
    FAIL("it was accepted");
  } catch (const std::invalid_argument& error) {
    CHECK(
        std::string(error.what()) ==
        "environment variable SPICA_OPENCL:\n  'mode=slow': the modes are fast and cycle"
        "\n  'check=races': the checks are hazards and memory\n  an empty name of a configuration"
        "\n  'colour=red': allowed are mode=fast, mode=cycle, set=KEY=VALUE, check=hazards, check=memory, energy, "
        "trace=FILE, out=FOLDER, report=FILE and gdb=LAUNCH"
        "\n  'gdb=0': the number of a launch is 1 or more\n  'gdb=x': the number of a launch is 1 or more");
  }
}
