// SPDX-License-Identifier: Apache-2.0
// What a program says of itself: numbers in lines of their own, and samples in memory.
#include "platform/run/printed.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"

using namespace spica;

TEST_CASE("lines of a name and a number are numbers of the program, others are text") {
  const json::Value said = job::printed_numbers(
      "hello\nrounds: 12\nshare_2: -0.25\n rounds: 13\nRounds: 14\nrounds: 15 times\nlast: 7\n" +
      std::string(100'000, 'a') + ": 3\n");
  CHECK(said.dump() == R"({"rounds":12,"share_2":-0.25,"last":7})");
  CHECK(job::printed_numbers("").empty());
}

TEST_CASE("samples become quantiles, and a histogram of eight steps to a power of two") {
  const json::Value said = job::sample_statistics({5, 1, 100, 17, 16, 1, 3, 127, 2, 96});
  CHECK(said["count"] == 10);
  CHECK(said["min"] == 1);
  CHECK(said["median"] == 5);
  CHECK(said["p90"] == 100);
  CHECK(said["max"] == 127);
  CHECK(said["histogram"].dump() == "[[1,2],[2,1],[3,1],[5,1],[16,2],[96,2],[120,1]]");
  CHECK(job::sample_statistics({}).dump() == R"({"count":0})");
  CHECK(job::sample_statistics({0xFFFFFFFF}).at("histogram").dump() == "[[4026531840,1]]");
}

TEST_CASE("a range of samples is an address and a count") {
  const job::SampleRange range = job::parse_samples("0xC1000000+4096");
  CHECK(range.address == 0xC100'0000);
  CHECK(range.most == 4096);
  for (const char* text : {"", "5", "x+5", "5+", "5+0", "0+99999999", "5+6+7"}) {
    INFO(text);
    CHECK_THROWS_AS(job::parse_samples(text), input::UserError);
  }
}
