// SPDX-License-Identifier: Apache-2.0
// What compilers call in sw/lib for double, 64 bits, counts of bits and complex numbers, against the host, bit by bit.
#include <words.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "testbenches/support/catch.h"
#include "testbenches/support/samples.h"

// NOLINTBEGIN(bugprone-reserved-identifier): the names of the functions that compilers call
extern "C" {
double sw___adddf3(double a, double b);
double sw___subdf3(double a, double b);
double sw___muldf3(double a, double b);
double sw___divdf3(double a, double b);
double sw___negdf2(double a);
std::int32_t sw___eqdf2(double a, double b);
std::int32_t sw___nedf2(double a, double b);
std::int32_t sw___ltdf2(double a, double b);
std::int32_t sw___ledf2(double a, double b);
std::int32_t sw___gtdf2(double a, double b);
std::int32_t sw___gedf2(double a, double b);
std::int32_t sw___unorddf2(double a, double b);
float sw___truncdfsf2(double a);
double sw___floatsidf(std::int32_t a);
double sw___floatunsidf(std::uint32_t a);
double sw___floatdidf(std::int64_t a);
double sw___floatundidf(std::uint64_t a);
float sw___floatdisf(std::int64_t a);
float sw___floatundisf(std::uint64_t a);
std::int32_t sw___fixdfsi(double a);
std::uint32_t sw___fixunsdfsi(double a);
std::int64_t sw___fixdfdi(double a);
std::uint64_t sw___fixunsdfdi(double a);
std::int64_t sw___fixsfdi(float a);
std::uint64_t sw___fixunssfdi(float a);
float sw___powisf2(float x, std::int32_t n);
double sw___powidf2(double x, std::int32_t n);
std::uint64_t sw___udivdi3(std::uint64_t n, std::uint64_t d);
std::uint64_t sw___umoddi3(std::uint64_t n, std::uint64_t d);
std::uint64_t sw___udivmoddi4(std::uint64_t n, std::uint64_t d, std::uint64_t* rest);
std::int64_t sw___divdi3(std::int64_t n, std::int64_t d);
std::int64_t sw___moddi3(std::int64_t n, std::int64_t d);
std::int64_t sw___divmoddi4(std::int64_t n, std::int64_t d, std::int64_t* rest);
std::uint64_t sw___muldi3(std::uint64_t a, std::uint64_t b);
std::uint64_t sw___ashldi3(std::uint64_t x, std::int32_t n);
std::uint64_t sw___lshrdi3(std::uint64_t x, std::int32_t n);
std::int64_t sw___ashrdi3(std::int64_t x, std::int32_t n);
std::int64_t sw___negdi2(std::int64_t x);
std::int32_t sw___ucmpdi2(std::uint64_t a, std::uint64_t b);
std::int32_t sw___cmpdi2(std::int64_t a, std::int64_t b);
std::int32_t sw___clzsi2(std::uint32_t x);
std::int32_t sw___clzdi2(std::uint64_t x);
std::int32_t sw___ctzsi2(std::uint32_t x);
std::int32_t sw___ctzdi2(std::uint64_t x);
std::int32_t sw___ffssi2(std::uint32_t x);
std::int32_t sw___ffsdi2(std::uint64_t x);
std::int32_t sw___clrsbsi2(std::uint32_t x);
std::int32_t sw___clrsbdi2(std::uint64_t x);
std::int32_t sw___popcountsi2(std::uint32_t x);
std::int32_t sw___popcountdi2(std::uint64_t x);
std::int32_t sw___paritysi2(std::uint32_t x);
std::int32_t sw___paritydi2(std::uint64_t x);
std::uint32_t sw___bswapsi2(std::uint32_t x);
std::uint64_t sw___bswapdi2(std::uint64_t x);
_Complex float sw___mulsc3(float a, float b, float c, float d);
_Complex float sw___divsc3(float a, float b, float c, float d);
_Complex double sw___muldc3(double a, double b, double c, double d);
_Complex double sw___divdc3(double a, double b, double c, double d);
std::int32_t sw___addvsi3(std::int32_t a, std::int32_t b);
std::int64_t sw___mulvdi3(std::int64_t a, std::int64_t b);
std::int64_t sw___absvdi2(std::int64_t a);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

using Random = std::mt19937_64;
constexpr int kRounds = spica::testbench::samples(2'000'000);

double double_of(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
/// All that is not a number is one, with the machine's bits.
std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return std::isnan(x) ? 0x7FF8000000000000u : bits;
}
std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return std::isnan(x) ? 0x7FC00000u : bits;
}
/// As the functions return it.
template <class Number>
auto raw_bits(Number x) {
  decltype(bits_of(x)) bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

std::vector<double> special_doubles() {
  std::vector<double> all;
  for (const std::uint64_t exponent :
       {0,    1,    2,    53,   54,   896,  897,  969,  1022, 1023, 1024, 1053,
        1054, 1055, 1075, 1076, 1085, 1086, 1087, 1150, 1151, 2045, 2046, 2047})
    for (const std::uint64_t fraction :
         {0x0ull, 0x1ull, 0x2ull, 0x8000000000000ull, 0x7FFFFFFFFFFFFull, 0x8000000000001ull,
          0xFFFFFE0000000ull, 0xFFFFFF0000000ull, 0x0000010000000ull, 0x0000030000000ull, 0xFFFFFFFFFFFFEull,
          0xFFFFFFFFFFFFFull})
      for (const std::uint64_t sign : {0, 1})
        all.push_back(double_of(sign << 63 | exponent << 52 | fraction));
  return all;
}

/// Pairs whose sums cancel, whose products and quotients are at the ends of the range, with few and with many ones.
double random_double(Random& random, std::uint64_t near) {
  const std::uint64_t bits = random(), kind = random() % 8;
  std::uint64_t fraction = bits & 0xFFFFFFFFFFFFFull, exponent = bits >> 52 & 0x7FF;
  if (kind & 1) exponent = (near + random() % 120 - 60) & 0x7FF;
  if (kind == 2) exponent = random() % 3;
  if (kind == 4) fraction &= ~0ull << random() % 52;
  if (kind == 5) fraction |= (1ull << random() % 52) - 1;
  if (kind == 6) fraction = (near & 0xFFFFFFFFFFFFFull) + random() % 5 - 2;
  return double_of((bits & 1ull << 63) | exponent << 52 | (fraction & 0xFFFFFFFFFFFFFull));
}

template <class Check>
void for_pairs(Check check) {
  const std::vector<double> special = special_doubles();
  for (const double a : special)
    for (const double b : special) check(a, b);
  Random random(20261127);
  for (int i = 0; i < kRounds; ++i) {
    const double a = random_double(random, random());
    const std::uint64_t exponent = raw_bits(a) >> 52 & 0x7FF, fraction = raw_bits(a) & 0xFFFFFFFFFFFFFull;
    const std::uint64_t partner[4] = {exponent, 1023 - exponent, exponent + 1023, exponent - 1023};
    check(a, random_double(random, fraction << 11 | (partner[i % 4] & 0x7FF)));
  }
}

template <class Ours, class Exact>
void compare_pairs(Ours ours, Exact exact) {
  for_pairs([&](double a, double b) {
    const auto expected = exact(a, b), found = ours(a, b);
    if (bits_of(expected) == raw_bits(found)) return;
    CAPTURE(a, b, raw_bits(a), raw_bits(b), expected, found);
    REQUIRE(bits_of(expected) == raw_bits(found));
  });
}

/// Numbers of all sizes.
std::uint64_t random_integer(Random& random) {
  const std::uint64_t value = random(), kind = random();
  if (kind % 5 == 0) return (1ull << kind / 5 % 64) + kind / 512 % 3 - 1;
  return kind % 5 == 1 ? ~(value >> (kind / 5 % 64)) : value >> (kind / 5 % 64);
}

/// Towards zero, the nearest where there is none.
template <class Integer, class Number>
Integer expected_integer(Number x) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(x)) return Limits::max();
  const long double whole = std::trunc(static_cast<long double>(x));
  if (whole <= static_cast<long double>(Limits::min())) return Limits::min();
  if (whole >= static_cast<long double>(Limits::max())) return Limits::max();
  return static_cast<Integer>(whole);
}

}  // namespace

TEST_CASE("runtime: sums of double are the host's, bit by bit") {
  compare_pairs(sw___adddf3, [](double a, double b) { return a + b; });
  compare_pairs(sw___subdf3, [](double a, double b) { return a - b; });
}

TEST_CASE("runtime: products and quotients of double are the host's, bit by bit") {
  compare_pairs(sw___muldf3, [](double a, double b) { return a * b; });
  compare_pairs(sw___divdf3, [](double a, double b) { return a / b; });
}

TEST_CASE("runtime: comparisons of double are the host's") {
  for_pairs([](double a, double b) {
    const bool good = (sw___eqdf2(a, b) == 0) == (a == b) && (sw___nedf2(a, b) != 0) == (a != b) &&
                      (sw___ltdf2(a, b) < 0) == (a < b) && (sw___ledf2(a, b) <= 0) == (a <= b) &&
                      (sw___gtdf2(a, b) > 0) == (a > b) && (sw___gedf2(a, b) >= 0) == (a >= b) &&
                      (sw___unorddf2(a, b) != 0) == std::isunordered(a, b) &&
                      raw_bits(sw___negdf2(a)) == raw_bits(-a);
    if (good) return;
    CAPTURE(a, b, raw_bits(a), raw_bits(b));
    REQUIRE(good);
  });
}

TEST_CASE("runtime: conversions from double and float are the host's, bit by bit") {
  for_pairs([](double a, double b) {
    for (const double x : {a, b}) {
      const float narrow = static_cast<float>(x);
      const bool good = raw_bits(sw___truncdfsf2(x)) == bits_of(narrow) &&
                        sw___fixdfsi(x) == expected_integer<std::int32_t>(x) &&
                        sw___fixunsdfsi(x) == expected_integer<std::uint32_t>(x) &&
                        sw___fixdfdi(x) == expected_integer<std::int64_t>(x) &&
                        sw___fixunsdfdi(x) == expected_integer<std::uint64_t>(x) &&
                        sw___fixsfdi(narrow) == expected_integer<std::int64_t>(narrow) &&
                        sw___fixunssfdi(narrow) == expected_integer<std::uint64_t>(narrow);
      if (good) continue;
      CAPTURE(x, raw_bits(x), narrow, sw___truncdfsf2(x), sw___fixdfsi(x), sw___fixunsdfsi(x),
              sw___fixdfdi(x), sw___fixunsdfdi(x), sw___fixsfdi(narrow), sw___fixunssfdi(narrow));
      REQUIRE(good);
    }
  });
  Random random(8);
  for (int i = 0; i < kRounds; ++i) {  // where there is an integer
    const double x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                                -static_cast<int>(random() % 70));
    REQUIRE(sw___fixdfsi(x) == expected_integer<std::int32_t>(x));
    REQUIRE(sw___fixunsdfsi(x) == expected_integer<std::uint32_t>(x));
    REQUIRE(sw___fixdfdi(x) == expected_integer<std::int64_t>(x));
    REQUIRE(sw___fixunsdfdi(x) == expected_integer<std::uint64_t>(x));
    const float y = static_cast<float>(x);
    REQUIRE(sw___fixsfdi(y) == expected_integer<std::int64_t>(y));
    REQUIRE(sw___fixunssfdi(y) == expected_integer<std::uint64_t>(y));
  }
}

TEST_CASE("runtime: conversions of integers are the host's, bit by bit") {
  Random random(7);
  for (int i = 0; i < kRounds; ++i) {
    const std::uint64_t x = i == 0 ? 0 : random_integer(random);
    const auto y = static_cast<std::int64_t>(x);
    const auto narrow = static_cast<std::uint32_t>(x);
    const bool good = raw_bits(sw___floatundidf(x)) == bits_of(static_cast<double>(x)) &&
                      raw_bits(sw___floatdidf(y)) == bits_of(static_cast<double>(y)) &&
                      raw_bits(sw___floatundisf(x)) == bits_of(static_cast<float>(x)) &&
                      raw_bits(sw___floatdisf(y)) == bits_of(static_cast<float>(y)) &&
                      raw_bits(sw___floatunsidf(narrow)) == bits_of(static_cast<double>(narrow)) &&
                      raw_bits(sw___floatsidf(static_cast<std::int32_t>(narrow))) ==
                          bits_of(static_cast<double>(static_cast<std::int32_t>(narrow)));
    if (good) continue;
    CAPTURE(x);
    REQUIRE(good);
  }
}

TEST_CASE("runtime: division of 64 bits is the host's") {
  Random random(6);
  const auto check = [](std::uint64_t n, std::uint64_t d) {
    std::uint64_t rest = 0;
    bool good = sw___udivdi3(n, d) == n / d && sw___umoddi3(n, d) == n % d &&
                sw___udivmoddi4(n, d, &rest) == n / d && rest == n % d;
    const auto a = static_cast<std::int64_t>(n), b = static_cast<std::int64_t>(d);
    std::int64_t signed_rest = 0;
    if (!(b == -1 && a == std::numeric_limits<std::int64_t>::min()))
      good = good && sw___divdi3(a, b) == a / b && sw___moddi3(a, b) == a % b &&
             sw___divmoddi4(a, b, &signed_rest) == a / b && signed_rest == a % b;
    if (good) return;
    CAPTURE(n, d, sw___udivdi3(n, d), n / d);
    REQUIRE(good);
  };
  for (std::uint64_t d = 1; d < 300; ++d)
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t n = random_integer(random);
      for (const std::uint64_t near : {n, n / d * d, n / d * d - 1, ~std::uint64_t{0} - n % 100})
        check(near, d);
    }
  for (int i = 0; i < 4 * kRounds; ++i) {
    const std::uint64_t n = random_integer(random), d = random_integer(random);
    if (d == 0) continue;
    check(n, d);
    check(n / d * d, d);
    check(n / d * d - 1, d);
  }
}

TEST_CASE("runtime: the reciprocal and the product that divisions begin with are as near as they say") {
  __extension__ using Wide = unsigned __int128;
  Random random(5);
  Wide most = 0;
  for (std::uint64_t top = 1u << 15; top < 1u << 16; ++top)
    for (unsigned i = 0; i < spica::testbench::samples(300); ++i) {
      const std::uint64_t rest = i == 0 ? 0 : i == 1 ? ~0ull : random() >> random() % 60, n = random();
      const std::uint64_t y = top << 48 | (rest & 0xFFFFFFFFFFFFull), found = words::reciprocal(y);
      const Wide exact = ((static_cast<Wide>(1) << 127) - 1) / y;  // less than 2^127 / y
      REQUIRE((found <= exact && found + Wide(33) >= exact));
      for (const std::uint64_t one : {n, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
        const Wide quotient = (static_cast<Wide>(one) << 63) / y,
                   about = words::multiply_high_about(one, found);
        REQUIRE(about <= quotient);
        most = std::max(most, quotient - about);
      }
    }
  REQUIRE(most < 64);
  REQUIRE(most > 16);  // not looser than it must be
}

TEST_CASE("runtime: shifts, comparisons, counts and products of integers are the host's") {
  Random random(4);
  for (int i = 0; i < kRounds; ++i) {
    const std::uint64_t x = random_integer(random), y = i % 3 == 0 ? x + i % 5 - 2 : random_integer(random);
    const auto a = static_cast<std::int64_t>(x), b = static_cast<std::int64_t>(y);
    const auto word = static_cast<std::uint32_t>(x);
    const int n = static_cast<int>(random() % 64);
    const auto order = [](auto p, auto q) { return p < q ? 0 : p == q ? 1 : 2; };
    bool good = sw___ashldi3(x, n) == x << n && sw___lshrdi3(x, n) == x >> n &&
                sw___ashrdi3(a, n) == a >> n && sw___muldi3(x, y) == x * y &&
                static_cast<std::uint64_t>(sw___negdi2(a)) == 0 - x && sw___ucmpdi2(x, y) == order(x, y) &&
                sw___cmpdi2(a, b) == order(a, b);
    good =
        good && (x == 0 || (sw___clzdi2(x) == __builtin_clzll(x) && sw___ctzdi2(x) == __builtin_ctzll(x))) &&
        (word == 0 ||
         (sw___clzsi2(word) == __builtin_clz(word) && sw___ctzsi2(word) == __builtin_ctz(word))) &&
        sw___ffsdi2(x) == __builtin_ffsll(a) && sw___ffssi2(word) == __builtin_ffs(static_cast<int>(word)) &&
        sw___popcountdi2(x) == __builtin_popcountll(x) &&
        sw___popcountsi2(word) == __builtin_popcount(word) && sw___paritydi2(x) == __builtin_parityll(x) &&
        sw___paritysi2(word) == __builtin_parity(word) && sw___bswapdi2(x) == __builtin_bswap64(x) &&
        sw___bswapsi2(word) == __builtin_bswap32(word);
    const std::uint64_t same = a < 0 ? ~x : x;
    const std::uint32_t same_word = static_cast<std::int32_t>(word) < 0 ? ~word : word;
    good = good && sw___clrsbdi2(x) == (same == 0 ? 63 : __builtin_clzll(same) - 1) &&
           sw___clrsbsi2(word) == (same_word == 0 ? 31 : __builtin_clz(same_word) - 1);
    if (good) continue;
    CAPTURE(x, y, n);
    REQUIRE(good);
  }
  REQUIRE(sw___addvsi3(-5, 7) == 2);
  REQUIRE(sw___mulvdi3(-5, 1ll << 40) == -5 * (1ll << 40));
  REQUIRE(sw___absvdi2(-9) == 9);
}

TEST_CASE("runtime: powers with whole exponents are made by squares") {
  Random random(3);
  const auto expected = [](auto x, std::int32_t n) {
    decltype(x) result = 1;
    for (std::uint32_t left = n < 0 ? 0u - static_cast<std::uint32_t>(n) : static_cast<std::uint32_t>(n);
         left != 0; left >>= 1, x *= x)
      if (left & 1) result *= x;
    return n < 0 ? 1 / result : result;
  };
  for (int i = 0; i < 200'000; ++i) {
    const auto n = static_cast<std::int32_t>(static_cast<std::int32_t>(random()) >> random() % 32);
    const double x = i % 2 == 0 ? random_double(random, 1023)
                                : std::ldexp(static_cast<double>(random() >> 11), -53 + i % 3);
    const auto narrow = static_cast<float>(x);
    REQUIRE(bits_of(sw___powidf2(x, n)) == bits_of(expected(x, n)));
    REQUIRE(bits_of(sw___powisf2(narrow, n)) == bits_of(expected(narrow, n)));
  }
}

namespace {

/// What a product or quotient is: by annex G of the C standard an infinity with one infinite part is infinite, whatever
/// the other is.
enum class Kind { kZero, kFinite, kInfinite, kNan };
template <class Number>
Kind kind_of(Number real, Number imaginary) {
  if (std::isinf(real) || std::isinf(imaginary)) return Kind::kInfinite;
  if (std::isnan(real) || std::isnan(imaginary)) return Kind::kNan;
  return real == 0 && imaginary == 0 ? Kind::kZero : Kind::kFinite;
}

template <class Number, class Multiply, class Divide>
void check_complex(Multiply multiply, Divide divide, double allowed) {
  Random random(2);
  const auto number = [&](int range) {
    const int exponent = static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range;
    return static_cast<Number>(
        std::ldexp(static_cast<double>(random() >> 11) - std::ldexp(1, 52), exponent - 52));
  };
  double worst = 0;
  const auto note = [&](auto found, long double real, long double imaginary) {
    const long double error = std::hypot(__real__ found - real, __imag__ found - imaginary),
                      size = std::hypot(real, imaginary);
    worst = std::max(worst, static_cast<double>(error / size));
  };
  for (int i = 0; i < 300'000; ++i) {
    const Number a = number(20), b = number(20), c = number(20), d = number(20);
    note(multiply(a, b, c, d), static_cast<long double>(a) * c - static_cast<long double>(b) * d,
         static_cast<long double>(a) * d + static_cast<long double>(b) * c);
    const long double square = static_cast<long double>(c) * c + static_cast<long double>(d) * d;
    note(divide(a, b, c, d), (static_cast<long double>(a) * c + static_cast<long double>(b) * d) / square,
         (static_cast<long double>(b) * c - static_cast<long double>(a) * d) / square);
  }
  CHECK(worst < allowed);
  CHECK(worst > allowed / 20);

  // Divisors whose square is no number of the format.
  for (const Number size :
       {std::ldexp(Number(1), std::numeric_limits<Number>::max_exponent - 3),
        std::numeric_limits<Number>::min() * 4, std::numeric_limits<Number>::denorm_min() * 8}) {
    const auto found = divide(3 * size, size, size, size);  // (3 + i) / (1 + i) = 2 - i
    CHECK(__real__ found == 2);
    CHECK(__imag__ found == -1);
  }

  const Number infinity = std::numeric_limits<Number>::infinity(),
               nan = std::numeric_limits<Number>::quiet_NaN();
  const Number parts[] = {0, Number(-0.0), 1, -2, infinity, -infinity, nan};
  for (const Number a : parts)
    for (const Number b : parts)
      for (const Number c : parts)
        for (const Number d : parts) {
          const Kind x = kind_of(a, b), y = kind_of(c, d);
          const auto product = multiply(a, b, c, d), quotient = divide(a, b, c, d);
          const Kind times = kind_of(__real__ product, __imag__ product),
                     by = kind_of(__real__ quotient, __imag__ quotient);
          CAPTURE(a, b, c, d);
          const bool infinite_x = x == Kind::kInfinite, infinite_y = y == Kind::kInfinite;
          const bool finite_x = x == Kind::kFinite || x == Kind::kZero,
                     finite_y = y == Kind::kFinite || y == Kind::kZero;
          if ((infinite_x && (infinite_y || y == Kind::kFinite)) || (infinite_y && x == Kind::kFinite))
            REQUIRE(times == Kind::kInfinite);
          if ((infinite_x && finite_y) || (x == Kind::kFinite && y == Kind::kZero))
            REQUIRE(by == Kind::kInfinite);
          if (finite_x && infinite_y) REQUIRE(by == Kind::kZero);
          if (x == Kind::kZero && y == Kind::kZero) REQUIRE(by == Kind::kNan);
          if (infinite_x && infinite_y) REQUIRE(by == Kind::kNan);
          if (finite_x && y == Kind::kFinite) {
            REQUIRE(__real__ product == a * c - b * d);
            REQUIRE(__imag__ product == a * d + b * c);
          }
        }
}

}  // namespace

TEST_CASE("runtime: complex products and quotients are near the exact ones, and infinite where C says so") {
  check_complex<float>(sw___mulsc3, sw___divsc3, 4e-7);
  check_complex<double>(sw___muldc3, sw___divdc3, 8e-16);
}
