// SPDX-License-Identifier: Apache-2.0
#include "platform/base/input/printable.h"

#include <random>

#include "testbenches/support/catch.h"

using namespace spica::input;

TEST_CASE("a name in any script stays as it is") {
  for (const char* name :
       {"", "main", "gemm(int, float*)", "a b\\c\"d'<&>", "größe", "行列", "𝛼", "e\xCC\x81", "\xC2\xA0"})
    CHECK(printable(name) == name);
}

TEST_CASE("bytes that are not UTF-8 become hexadecimal digits") {
  CHECK(printable("na\xFFme") == "na\\xffme");
  CHECK(printable("\xC3") == "\\xc3");            // ends too early
  CHECK(printable("\xC3(") == "\\xc3(");
  CHECK(printable("\xC0\x80") == "\\xc0\\x80");   // longer than needed
  CHECK(printable("\xE0\x80\x80") == "\\xe0\\x80\\x80");
  CHECK(printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");              // half of a pair of UTF-16
  CHECK(printable("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");     // beyond the last character
  CHECK(printable("gr\xF6\xDF"
                  "e") == "gr\\xf6\\xdfe");                // Latin-1
}

TEST_CASE("control characters become hexadecimal digits") {
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable("a\nb\tc\rd\x7f") == "a\\x0ab\\x09c\\x0dd\\x7f");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\xc2\\x9b31m");       // the escape sequence's other form
  CHECK(printable("\xE2\x80\xAE"
                  "txt") == "\\xe2\\x80\\xaetxt");  // writing direction
  CHECK(printable("\xE2\x80\xA8") == "\\xe2\\x80\\xa8");
  CHECK(printable("\xEF\xBF\xBF") == "\\xef\\xbf\\xbf");
  CHECK(printable_lines("a\n\tb\x1b") == "a\n\tb\\x1b");
}

TEST_CASE("any bytes become printable, only once, and can be had back") {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 12, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 4 == 0 ? random() % 128 : random());
    const std::string shown = printable(bytes);
    CHECK(printable(shown) == shown);
    for (std::string_view rest = shown; !rest.empty();) {
      const std::size_t character = character_bytes(rest);
      REQUIRE(character != 0);
      REQUIRE((character > 1 || (static_cast<unsigned char>(rest[0]) >= 0x20 && rest[0] != 0x7F)));
      rest.remove_prefix(character);
    }
    if (bytes.find('\\') == std::string::npos) CHECK(unprintable(shown) == bytes);
  }
}
