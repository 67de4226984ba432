// SPDX-License-Identifier: Apache-2.0
// The exponentials of the attention and activation kernels against the host's in double precision. The same source is
// compiled for the kernels; its operations (multiply-add, minimum, integers) are the same on both sides.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "testbenches/support/catch.h"

extern "C" {
float sw_exponential_exact(float x);
float sw_exponential_negative(float x);
float sw_exponential_taylor2(float x);
unsigned sw_float_to_half_bits(float x);
float sw_half_bits_to_float(unsigned bits);
void sw_exponential_negative_four(float* x);
float sw_swish(float x);
float sw_gelu(float x);
}

namespace {

struct Worst {
  double ulp = 0;  // units in the last place of the exact value rounded to float
  double relative = 0;  // in units of 2^-24
};

/// Over every 97th float from -0 down to `last`.
template <class Ours, class Exact>
Worst worst_error(Ours ours, Exact exact, float last) {
  Worst worst;
  std::uint32_t end;
  std::memcpy(&end, &last, sizeof end);
  for (std::uint32_t bits = 0x80000000u; bits <= end; bits += 97) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    const double expected = exact(static_cast<double>(x)), error = std::fabs(ours(x) - expected);
    int exponent;
    std::frexp(expected, &exponent);
    const double ulp = error / std::ldexp(1.0, exponent - 24), relative = error / expected * 0x1p24;
    if (!(ulp <= worst.ulp)) worst.ulp = ulp;
    if (!(relative <= worst.relative)) worst.relative = relative;
  }
  return worst;
}

double exp_of(double x) { return std::exp(x); }
double swish_of(double x) { return x / (1 + std::exp(-x)); }
double taylor_of(double x) { return 1 + x + x * x / 2; }

}  // namespace

TEST_CASE("the exponential of the softmax is off by less than one unit in the last place") {
  const Worst worst = worst_error(sw_exponential_negative, exp_of, -87.0f);
  CHECK(worst.ulp < 1.0);
  CHECK(worst.relative < 2.0);  // what attention_check.h allows
  CHECK(worst_error(sw_exponential_exact, exp_of, -87.0f).ulp < 0.93);
}

TEST_CASE("the polynomial of the softmax is off by no more than its roundings") {
  const Worst worst = worst_error(sw_exponential_taylor2, taylor_of, -87.0f);
  CHECK(worst.ulp < 1.5);
  CHECK(worst.relative < 3.0);  // what attention_check.h allows
}

TEST_CASE("four exponentials at a time are bit for bit those of one at a time") {
  for (float first = 0; first > -95.0f; first -= 0.0371f) {
    float x[4] = {first, first / 3, first / 1000, first - 0.5f};
    const float expected[4] = {sw_exponential_negative(x[0]), sw_exponential_negative(x[1]),
                               sw_exponential_negative(x[2]), sw_exponential_negative(x[3])};
    sw_exponential_negative_four(x);
    for (int i = 0; i < 4; ++i) REQUIRE(x[i] == expected[i]);
  }
}

TEST_CASE("floats are rounded to the nearest FP16 number, ties to even, also below the smallest normal one") {
  for (unsigned half = 0; half < 0x7BFF; ++half) {  // all finite numbers but the largest
    const unsigned exponent = half >> 10, mantissa = half & 0x3FF;
    const float value =
        exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                      : std::ldexp(static_cast<float>(1024 + mantissa), static_cast<int>(exponent) - 25);
    const float step = std::ldexp(1.0f, exponent == 0 ? -24 : static_cast<int>(exponent) - 25);
    REQUIRE(sw_float_to_half_bits(value) == half);
    REQUIRE(sw_float_to_half_bits(value + step / 2) == half + half % 2);
    const float off = exponent == 0 ? 0x1p-37f : step / 1024;
    REQUIRE(sw_float_to_half_bits(value + step / 2 - off) == half);
    REQUIRE(sw_float_to_half_bits(value + step / 2 + off) == half + 1);
  }
}

TEST_CASE("each finite FP16 number is a float, whatever stands in the other half of its word") {
  for (unsigned half = 0; half <= 0x7BFF; ++half) {
    const int exponent = std::max(static_cast<int>(half >> 10), 1);
    const float value = std::ldexp(static_cast<float>(half - (exponent - 1) * 1024U), exponent - 25);
    for (const unsigned other : {0U, 0x7FFFU, 0xFFFFU}) {
      REQUIRE(sw_half_bits_to_float(half << 16 | other) == value);
      const float negative = sw_half_bits_to_float((half | 0x8000U) << 16 | other);
      REQUIRE(negative == -value);
      REQUIRE(std::signbit(negative));
    }
  }
}

TEST_CASE("a weight of one is exact, a tiny one next to nothing, and NaN stays") {
  CHECK(sw_exponential_negative(0.0f) == 1.0f);
  CHECK(sw_exponential_negative(-0.0f) == 1.0f);
  CHECK(sw_exponential_taylor2(0.0f) == 1.0f);
  for (const float x : {-88.0f, -104.0f, -1e9f, -3e38f}) {
    CHECK(sw_exponential_negative(x) > 0.0f);
    CHECK(sw_exponential_negative(x) < 1.7e-38f);  // what attention_check.cpp allows
  }
  CHECK(std::isnan(sw_exponential_negative(std::nanf(""))));
  CHECK(std::isnan(sw_exponential_negative(-std::numeric_limits<float>::infinity())));
  CHECK(std::isnan(sw_exponential_taylor2(std::nanf(""))));
}

TEST_CASE("swish is off by no more than the check of the fused kernels allows") {
  const auto error = [](float x) { return std::fabs(sw_swish(x) - swish_of(x)); };
  double worst = 0;  // relative, in units of 2^-24
  for (float size = 1e-30f; size < 1e6f; size *= 1.00003f)
    for (const float x : {-size, size})
      if (x > -80.0f) worst = std::max(worst, error(x) / std::fabs(swish_of(x)) * 0x1p24);
  CHECK(worst < 4);
  CHECK(worst > 1.5);
  // Where the exponential overflows, and tiny arguments.
  for (float x = -80.0f; x > -200.0f; x -= 0.125f)
    CHECK(error(x) <= 4 * 0x1p-24 * std::fabs(swish_of(x)) + 3e-37);
  CHECK(error(-1e-44f) < 3e-37);
  CHECK(sw_swish(0.0f) == 0.0f);
  CHECK(std::isnan(sw_swish(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("gelu is off by no more than the check of an epilogue allows") {
  double worst = 0;  // as a part of what is allowed
  for (float size = 1e-30f; size < 1e6f; size *= 1.00003f) {
    for (const float x : {-size, size}) {
      const double exact = static_cast<double>(x) / (1 + std::exp(-1.702 * static_cast<double>(x)));
      const double allowed = 4 * 0x1p-24 * std::fabs(exact) + 0.52 * 0x1p-24 + 3e-37;
      worst = std::max(worst, std::fabs(static_cast<double>(sw_gelu(x)) - exact) / allowed);
    }
  }
  CHECK(worst <= 1);
  CHECK(worst > 0.4);
}
