// SPDX-License-Identifier: Apache-2.0
#include "platform/base/input/number_text.h"

#include "testbenches/support/catch.h"

using namespace spica::input;

TEST_CASE("numbers are decimal or hexadecimal, and all of the text") {
  CHECK(parse_number("0") == 0u);
  CHECK(parse_number("4096") == 4096u);
  CHECK(parse_number("0xA0000000") == 0xA000'0000u);
  CHECK(parse_number("18446744073709551615") == ~std::uint64_t{0});
  for (const char* bad : {"", "0x", "x", "-1", "+1", " 1", "1 ", "12k", "0xg", "18446744073709551616"})
    CHECK_FALSE(parse_number(bad));
}

TEST_CASE("byte counts take binary units") {
  CHECK(parse_byte_count("12") == 12u);
  CHECK(parse_byte_count("12B") == 12u);
  CHECK(parse_byte_count("0x1B") == 27u);
  CHECK(parse_byte_count("256KiB") == 262'144u);
  CHECK(parse_byte_count("3MiB") == 3'145'728u);
  CHECK(parse_byte_count("1GiB") == 1'073'741'824u);
  for (const char* bad : {"", "KiB", "1kB", "1 KiB", "1.5MiB", "99999999999999GiB"})
    CHECK_FALSE(parse_byte_count(bad));
}
