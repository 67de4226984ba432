// SPDX-License-Identifier: Apache-2.0

#include "platform/observe/trace/format.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::trace;

TEST_CASE("values of lanes are written as short as they can be") {
  const std::uint32_t equal[] = {7, 7, 7, 7}, spaced[] = {0x100, 0x108, 0x110, 0x118}, any[] = {1, 5, 2, 9};
  CHECK(lane_values(equal, 0xF) == "0x7");
  CHECK(lane_values(spaced, 0xF) == "0x100+8*i");
  CHECK(lane_values(spaced, 0xF, 4) == "0x104+8*i");
  CHECK(lane_values(any, 0xF) == "[0x1,0x5,0x2,0x9]");
  CHECK(lane_values(any, 0x5) == "[0x1,0x2]");
  CHECK(lane_values(any, 0x8) == "0x9");
}

TEST_CASE("equal steps count from lane 0, whichever lanes are active, and may go down") {
  const std::uint32_t values[] = {99, 0x20, 0x18, 0x10, 0x8};
  CHECK(lane_values(values, 0x1E) == "0x28-8*i");
  const std::uint32_t gaps[] = {0, 77, 8, 77, 16};
  CHECK(lane_values(gaps, 0x15) == "0x0+4*i");
  const std::uint32_t uneven[] = {0, 0, 3, 0, 6};
  CHECK(lane_values(uneven, 0x15) == "[0x0,0x3,0x6]");
}

TEST_CASE("text for JSON has no quote, backslash or control character of its own") {
  CHECK(json_escaped("a\"b\\c\nd") == "a\\\"b\\\\c\\u000ad");
}
