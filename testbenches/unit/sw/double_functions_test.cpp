// SPDX-License-Identifier: Apache-2.0
// sw/lib/double_functions.cpp against the host's library, which rounds correctly.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include "testbenches/support/catch.h"
#include "testbenches/support/samples.h"

extern "C" {
double sw_sqrt(double x);
double sw_fma(double a, double b, double c);
double sw_trunc(double x);
double sw_floor(double x);
double sw_ceil(double x);
double sw_round(double x);
double sw_rint(double x);
double sw_fmin(double a, double b);
double sw_fmax(double a, double b);
}

namespace {

std::uint64_t bits_of_double(double number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}
double double_of_bits(std::uint64_t bits) {
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}
bool is_same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || bits_of_double(a) == bits_of_double(b);
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kSpecial[] = {0.0,   -0.0,   kInfinite, -kInfinite, std::numeric_limits<double>::quiet_NaN(),
                               1,     -1,     0.5,       -0.5,       1.5,
                               2.5,   -2.5,   4.9e-324,  -4.9e-324,  2.2250738585072014e-308,
                               1e308, -1e308, 0x1p52,    0x1.fp51,   0.49999999999999994};

/// Any bits, numbers near 1, whole ones and special ones.
class Numbers {
 public:
  double next() {
    const std::uint64_t kind = random_() % 8;
    if (kind == 0) return kSpecial[random_() % std::size(kSpecial)];
    if (kind < 4) return double_of_bits((random_() & 0x800F'FFFF'FFFF'FFFF) | (1019 + random_() % 60) << 52);
    if (kind == 4) return static_cast<double>(static_cast<std::int32_t>(random_())) / 4;
    return double_of_bits(random_());
  }
  /// A number to which `exact` adds nearly 0.
  double opposite(double exact) {
    return double_of_bits(bits_of_double(-exact) + static_cast<std::uint64_t>(random_() % 7) - 3);
  }

 private:
  std::mt19937_64 random_{7};
};

}  // namespace

TEST_CASE("functions of double are rounded as on the host") {
  Numbers numbers;
  for (unsigned i = 0; i < spica::testbench::samples(200'000); ++i) {
    const double a = numbers.next(), b = numbers.next();
    const double c = i % 2 == 0 ? numbers.next() : numbers.opposite(a * b);
    INFO(a << " " << b << " " << c);
    REQUIRE(is_same(sw_sqrt(a), std::sqrt(a)));
    REQUIRE(is_same(sw_fma(a, b, c), std::fma(a, b, c)));
    REQUIRE(is_same(sw_trunc(a), std::trunc(a)));
    REQUIRE(is_same(sw_floor(a), std::floor(a)));
    REQUIRE(is_same(sw_ceil(a), std::ceil(a)));
    REQUIRE(is_same(sw_round(a), std::round(a)));
    REQUIRE(is_same(sw_rint(a), std::rint(a)));
  }
}

TEST_CASE("the least and the greatest of two doubles is the number where the other is none") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(sw_fmin(none, 3.0) == 3.0);
  CHECK(sw_fmax(-3.0, none) == -3.0);
  CHECK(std::isnan(sw_fmin(none, none)));
  Numbers numbers;
  for (unsigned i = 0; i < spica::testbench::samples(20'000); ++i) {
    const double a = numbers.next(), b = numbers.next();
    if (std::isnan(a) || std::isnan(b)) continue;
    REQUIRE(sw_fmin(a, b) == std::fmin(a, b));
    REQUIRE(sw_fmax(a, b) == std::fmax(a, b));
  }
}
