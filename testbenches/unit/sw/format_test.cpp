// SPDX-License-Identifier: Apache-2.0
// The firmware's printf against the host's, character by character.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "testbenches/support/catch.h"

extern "C" int sw_snprintf(char* out, std::size_t size, const char* format, ...);

namespace {

template <class... Values>
void same_as_host(const char* format, Values... values) {
  char ours[512], theirs[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  const int our_length = sw_snprintf(ours, sizeof ours, format, values...);
  const int their_length = std::snprintf(theirs, sizeof theirs, format, values...);
#pragma GCC diagnostic pop
  if (our_length == their_length && std::strcmp(ours, theirs) == 0) return;
  INFO("format \"" << format << "\"");
  CHECK(std::string(ours) == theirs);
  CHECK(our_length == their_length);
}

double double_of(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

const char* const kFlags[] = {"", "-", "+", " ", "0", "#", "-+", "+0", " 0", "-#", "#0"};

}  // namespace

TEST_CASE("integers are printed as the host prints them, in all widths and flags") {
  for (const char* flags : kFlags) {
    for (const char* size : {"", "1", "5", "12", ".0", ".3", "8.5", "3.7"}) {
      for (int value : {0, 1, -1, 7, 8, 42, -999, 65535, 2147483647, -2147483647 - 1}) {
        for (const char letter : {'d', 'i', 'u', 'x', 'X', 'o'}) {
          same_as_host((std::string("<%") + flags + size + letter + ">").c_str(), value);
        }
      }
    }
  }
}

TEST_CASE("64-bit and short integers are taken from the argument list in their length") {
  for (long long value : {0ll, 1ll, -1ll, 4294967296ll, 1234567890123456789ll, -9223372036854775807ll}) {
    same_as_host("%lld %d", value, 5);
    same_as_host("%llu|%llx|%llo", value, value, value);
    same_as_host("%25lld|%-25llx|%025llu", value, value, value);
  }
  same_as_host("%hhd %hd %hhu %hu", 300, 70000, 300, 70000);
  same_as_host("%zu %td %jd", std::size_t{12}, std::ptrdiff_t{-3}, std::intmax_t{-7});
}

TEST_CASE("strings, characters, stars and unknown conversions") {
  same_as_host("%s|%10s|%-10s|%.2s|%*.*s|%.0s|", "hello", "ab", "ab", "hello", 6, 3, "hello", "x");
  same_as_host("%c|%3c|%-3c|%%|%5d%%", 'a', 'b', 'c', 50);
  same_as_host("%*d|%-*d|%.*d|%*d", 6, 42, 6, 42, 4, 42, -6, 42);
  same_as_host("%p", reinterpret_cast<void*>(0xA0000000u));
  char text[32];
  CHECK(sw_snprintf(text, sizeof text, "%y %5k.") == 7);
  CHECK(std::string(text) == "%y %5k.");
  CHECK(sw_snprintf(text, sizeof text, "end%") == 4);
  CHECK(sw_snprintf(text, sizeof text, "%s", static_cast<const char*>(nullptr)) == 6);
  CHECK(std::string(text) == "(null)");
}

TEST_CASE("a text longer than the buffer is cut, and its whole length returned") {
  char text[6] = "#####";
  CHECK(sw_snprintf(text, 4, "%d", 1234567) == 7);
  CHECK(std::string(text) == "123");
  CHECK(text[4] == '#');
  CHECK(sw_snprintf(nullptr, 0, "%s", "hello") == 5);
}

TEST_CASE("floating-point numbers have the host's digits in every style and precision") {
  const double values[] = {0.0,    -0.0,   1.0,      0.5,     1.5,     2.5,         -2.5,          0.1,
                           9.9995, 99.995, 999999.5, 9999995, 1e6,     123456789.0, 1e-5,          1.25e-4,
                           1e22,   1e23,   3.14159f, 1e-45,   1.0 / 3, 1e308,       2.225e-308,    5e-324,
                           0.05,   0.25,   0.35,     8.5,     9.5,     99.5,        0.000099999995};
  for (const char* flags : kFlags) {
    for (const char* size : {"", "12", ".0", ".1", ".2", "12.3", ".9", ".17", "30.20"}) {
      for (const char letter : {'f', 'e', 'g', 'F', 'E', 'G'}) {
        const std::string format = std::string("%") + flags + size + letter;
        // glibc before 2.38 loses a zero in "%#.2g" of 99.5; the next test has these
        if ((letter | 0x20) == 'g' && format.find('#') != std::string::npos) continue;
        for (double value : values) same_as_host(format.c_str(), value);
        for (double value : {double_of(0x7FF0000000000000), double_of(0xFFF0000000000000)})
          same_as_host(format.c_str(), value);
      }
    }
  }
}

TEST_CASE("%#g keeps the zeros its precision asks for") {
  char text[32];
  const auto print = [&text](const char* format, double value) {
    sw_snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  CHECK(print("%#g", 1.5) == "1.50000");
  CHECK(print("%#.2g", 99.5) == "1.0e+02");
  CHECK(print("%#.3g", 99.5) == "99.5");
  CHECK(print("%#.1g", 0.25) == "0.2");
  CHECK(print("%#.0g", 3.0) == "3.");
  CHECK(print("%#.3g", 0.0) == "0.00");
}

TEST_CASE("random doubles and floats have the host's digits") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const double any = double_of(random());
    const double moderate = static_cast<double>(static_cast<std::int64_t>(random())) / 1e12;
    const auto bits = static_cast<std::uint32_t>(random());
    float single;
    std::memcpy(&single, &bits, sizeof single);
    for (double value : {any, moderate, static_cast<double>(single)}) {
      if (value != value) continue;  // hosts differ in the sign of a NaN's text
      same_as_host("%e %.17g %g %.3f", value, value, value, moderate);
      same_as_host("%.*f|%.*e|%.*g", i % 25, value, i % 25, value, i % 25, value);
    }
  }
}
