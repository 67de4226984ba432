// SPDX-License-Identifier: Apache-2.0
// The firmware's functions against the host's in double precision.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

extern "C" {
float sw_expf(float x);
float sw_logf(float x);
}

namespace {

float float_of(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// |result - exact| in units in the last place of the exact value rounded to float.
double error_ulp(float result, double exact) {
  int exponent;
  std::frexp(exact, &exponent);
  const int unit = exponent - 24 < -149 ? -149 : exponent - 24;
  return std::fabs(static_cast<double>(result) - exact) / std::ldexp(1.0, unit);
}

template <class Ours, class Exact>
double worst_error(Ours ours, Exact exact, std::uint32_t first, std::uint32_t last, std::uint32_t step) {
  double worst = 0;
  for (std::uint64_t bits = first; bits < last; bits += step) {
    const float x = float_of(static_cast<std::uint32_t>(bits));
    const double error = error_ulp(ours(x), exact(static_cast<double>(x)));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

const float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("expf is off by less than one unit in the last place, subnormal results included") {
  const auto exact = [](double x) { return std::exp(x); };
  CHECK(worst_error(sw_expf, exact, 0x00000000, 0x42B17217, 997) < 1.0);  // up to the overflow
  CHECK(worst_error(sw_expf, exact, 0x80000000, 0xC2CFF1B4, 997) < 1.0);  // down to the underflow
}

TEST_CASE("expf of special values") {
  CHECK(sw_expf(0.0f) == 1.0f);
  CHECK(sw_expf(-0.0f) == 1.0f);
  CHECK(sw_expf(kInfinity) == kInfinity);
  CHECK(sw_expf(1000.0f) == kInfinity);
  CHECK(sw_expf(88.73f) == kInfinity);
  CHECK(sw_expf(-kInfinity) == 0.0f);
  CHECK(sw_expf(-200.0f) == 0.0f);
  CHECK(std::isnan(sw_expf(std::nanf(""))));
}

TEST_CASE("logf is off by less than one unit in the last place, subnormal arguments included") {
  const auto exact = [](double x) { return std::log(x); };
  CHECK(worst_error(sw_logf, exact, 0x00000001, 0x7F800000, 1009) < 1.0);
  CHECK(worst_error(sw_logf, exact, 0x3F700000, 0x3F900000, 13) < 1.0);  // around 1
}

TEST_CASE("logf of special values") {
  CHECK(sw_logf(1.0f) == 0.0f);
  CHECK(sw_logf(0.0f) == -kInfinity);
  CHECK(sw_logf(-0.0f) == -kInfinity);
  CHECK(sw_logf(kInfinity) == kInfinity);
  CHECK(std::isnan(sw_logf(-1.0f)));
  CHECK(std::isnan(sw_logf(-kInfinity)));
  CHECK(std::isnan(sw_logf(std::nanf(""))));
}
