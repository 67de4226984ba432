// SPDX-License-Identifier: Apache-2.0
// The firmware's functions against the host's in double precision.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>

#include "testbenches/support/catch.h"
#include "testbenches/support/samples.h"

extern "C" {
float sw_expf(float x);
float sw_logf(float x);
float sw_exp2f(float x);
float sw_expm1f(float x);
float sw_log2f(float x);
float sw_log10f(float x);
float sw_log1pf(float x);
float sw_powf(float x, float y);
float sw_cbrtf(float x);
float sw_hypotf(float x, float y);
float sw_sinf(float x);
float sw_cosf(float x);
float sw_tanf(float x);
float sw_asinf(float x);
float sw_acosf(float x);
float sw_atanf(float x);
float sw_atan2f(float y, float x);
float sw_sinhf(float x);
float sw_coshf(float x);
float sw_tanhf(float x);
float sw_erff(float x);
float sw_roundf(float x);
float sw_rintf(float x);
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
  for (std::uint64_t bits = first; bits < last; bits += step * (spica::testbench::kSanitized ? 10 : 1)) {
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

namespace {

// Bits of floats.
constexpr std::uint32_t k0 = 0, k1 = 0x3F800000, kMax = 0x7F7FFFFF, kSign = 0x80000000;

struct Function {
  const char* name;
  float (*ours)(float);
  double (*exact)(double);
  std::uint32_t first, last;  // sizes of arguments, as bits
  bool both_signs;
};

const Function kFunctions[] = {
    {"expf", sw_expf, [](double x) { return std::exp(x); }, k0, 0x42B17217, true},
    {"logf", sw_logf, [](double x) { return std::log(x); }, 1, kMax, false},
    {"exp2f", sw_exp2f, [](double x) { return std::exp2(x); }, k0, 0x42FFFFFF, true},
    {"expm1f", sw_expm1f, [](double x) { return std::expm1(x); }, k0, 0x42B17217, true},
    {"log2f", sw_log2f, [](double x) { return std::log2(x); }, 1, kMax, false},
    {"log10f", sw_log10f, [](double x) { return std::log10(x); }, 1, kMax, false},
    {"log1pf", sw_log1pf, [](double x) { return std::log1p(x); }, k0, kMax, false},
    {"log1pf", sw_log1pf, [](double x) { return std::log1p(x); }, kSign, kSign | 0x3F7FFFFF, false},
    {"cbrtf", sw_cbrtf, [](double x) { return std::cbrt(x); }, k0, kMax, true},
    {"sinf", sw_sinf, [](double x) { return std::sin(x); }, k0, kMax, true},
    {"cosf", sw_cosf, [](double x) { return std::cos(x); }, k0, kMax, true},
    {"tanf", sw_tanf, [](double x) { return std::tan(x); }, k0, kMax, true},
    {"asinf", sw_asinf, [](double x) { return std::asin(x); }, k0, k1, true},
    {"acosf", sw_acosf, [](double x) { return std::acos(x); }, k0, k1, true},
    {"atanf", sw_atanf, [](double x) { return std::atan(x); }, k0, kMax, true},
    {"sinhf", sw_sinhf, [](double x) { return std::sinh(x); }, k0, 0x42B2D4FC, true},
    {"coshf", sw_coshf, [](double x) { return std::cosh(x); }, k0, 0x42B2D4FC, true},
    {"tanhf", sw_tanhf, [](double x) { return std::tanh(x); }, k0, kMax, true},
    {"erff", sw_erff, [](double x) { return std::erf(x); }, k0, kMax, true},
};

/// The largest errors in units in the last place that docs/howto/kernel-library.md promises.
std::map<std::string, double> promised() {
  std::ifstream page(SPICA_ERRORS_PAGE);
  std::map<std::string, double> found;
  bool is_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.find("math_test.cpp") != std::string::npos) is_table = true;
    std::istringstream words(line);
    std::string name;
    double bound = 0;
    while (is_table && words >> name >> bound) found[name] = bound;
  }
  return found;
}

/// Worst error over pairs of arguments made from an endless sequence; `exact` says NaN for pairs to leave out.
template <class Ours, class Exact>
double worst_of_pairs(Ours ours, Exact exact, unsigned count) {
  double worst = 0;
  std::uint32_t state = 12345;
  const auto next = [&] { return state = state * 1664525 + 1013904223; };
  for (unsigned i = 0; i < spica::testbench::samples(count); ++i) {
    const float x = float_of(next() >> 1 & 0x7FFFFFFF), y = float_of(next());
    const double wanted = exact(static_cast<double>(x), static_cast<double>(y));
    if (!std::isfinite(wanted) || std::fabs(wanted) > 3.4028234e38) continue;
    const double error = error_ulp(ours(x, y), wanted);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

}  // namespace

TEST_CASE("functions of one argument keep to the errors of their table over all sizes of arguments") {
  const auto bounds = promised();
  for (const Function& function : kFunctions) {
    double worst = worst_error(function.ours, function.exact, function.first, function.last, 1009);
    if (function.both_signs)
      worst = std::max(worst, worst_error(function.ours, function.exact, function.first | kSign,
                                          function.last | kSign, 1013));
    INFO(function.name << ": " << worst);
    CHECK(worst <= bounds.at(function.name));
    CHECK(worst > 0.4 * bounds.at(function.name));  // not promised too little
  }
}

TEST_CASE("sine and cosine of angles of up to ten turns keep to it, too") {
  const auto bounds = promised();
  for (const Function& function : kFunctions) {
    if (function.name[0] != 's' && function.name[0] != 'c' && function.name[0] != 't') continue;
    INFO(function.name);
    CHECK(worst_error(function.ours, function.exact, 0x3E800000, 0x427C0000, 53) <= bounds.at(function.name));
  }
}

TEST_CASE("functions of two arguments keep to the errors of their table") {
  const double power = worst_of_pairs([](float x, float y) { return sw_powf(x, y); },
                                      [](double x, double y) { return std::pow(x, y); }, 4000000);
  double near = 0;  // around 1, to all powers
  for (std::uint32_t bits = 0x3F000000; bits < 0x40000000; bits += 1013) {
    const float x = float_of(bits);
    for (const float y : {0.5f, -1.5f, 3.0f, 17.25f, -33.1f, 100.7f, -126.0f}) {
      const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
      near = std::max(near, error_ulp(sw_powf(x, y), exact));
    }
  }
  const double distance = worst_of_pairs([](float x, float y) { return sw_hypotf(x, y); },
                                         [](double x, double y) { return std::hypot(x, y); }, 1000000);
  const double angle = worst_of_pairs([](float x, float y) { return sw_atan2f(y, x); },
                                      [](double x, double y) { return std::atan2(y, x); }, 1000000);
  const auto bounds = promised();
  CHECK(power <= bounds.at("powf"));
  CHECK(near <= bounds.at("powf"));
  CHECK(distance <= bounds.at("hypotf"));
  CHECK(angle <= bounds.at("atan2f"));
}

TEST_CASE("powers of special values are those of the C standard") {
  const float inf = kInfinity, nan = std::nanf("");
  for (const float x : {0.0f, -0.0f, 0.5f, -0.5f, 1.0f, -1.0f, 2.0f, -2.0f, 3.5f, inf, -inf, nan})
    for (const float y : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 3.0f, -3.0f, 0.5f, -0.5f, 1e9f, inf, -inf, nan}) {
      const float is = sw_powf(x, y), must = std::pow(x, y);
      INFO(x << " ^ " << y << " is " << is << ", must be " << must);
      CHECK(((std::isnan(is) && std::isnan(must)) || (is == must && std::signbit(is) == std::signbit(must))));
    }
}

TEST_CASE("special values of the other functions are those of the C standard") {
  const float inf = kInfinity;
  CHECK(std::isnan(sw_sinf(inf)));
  CHECK(std::isnan(sw_cosf(-inf)));
  CHECK(std::isnan(sw_tanf(std::nanf(""))));
  CHECK(std::signbit(sw_sinf(-0.0f)));
  CHECK(sw_cosf(0.0f) == 1.0f);
  CHECK(sw_tanhf(inf) == 1.0f);
  CHECK(sw_tanhf(-inf) == -1.0f);
  CHECK(sw_atanf(inf) == static_cast<float>(std::atan(INFINITY)));
  CHECK(std::isnan(sw_asinf(1.5f)));
  CHECK(std::isnan(sw_acosf(-1.5f)));
  CHECK(sw_expm1f(-inf) == -1.0f);
  CHECK(sw_expm1f(inf) == inf);
  CHECK(sw_exp2f(-inf) == 0.0f);
  CHECK(sw_exp2f(128.0f) == inf);
  CHECK(std::isnan(sw_log2f(-1.0f)));
  CHECK(sw_log10f(0.0f) == -inf);
  CHECK(sw_log1pf(-1.0f) == -inf);
  CHECK(sw_coshf(-inf) == inf);
  CHECK(sw_sinhf(-inf) == -inf);
  CHECK(sw_cbrtf(-inf) == -inf);
  CHECK(sw_hypotf(inf, std::nanf("")) == inf);
  CHECK(sw_erff(inf) == 1.0f);
  for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf})
    for (const float y : {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf}) {
      INFO(y << " over " << x);
      CHECK(error_ulp(sw_atan2f(y, x), std::atan2(static_cast<double>(y), static_cast<double>(x))) < 2.0);
    }
}
