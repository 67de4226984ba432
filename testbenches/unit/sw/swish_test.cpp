// SPDX-License-Identifier: Apache-2.0
// The activation of the fused kernels, compiled for the host, against what `spica gemm` allows it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "platform/run/activation.h"
#include "platform/run/arithmetic.h"

using namespace spica;
using run::Activation;

extern "C" {
float sw_exponential_taylor2(float x);
float sw_swish(float x);
}

namespace {

/// Arguments of both signs: small, usual, and beyond the overflow of the exponential.
std::vector<float> arguments() {
  std::vector<float> values{0.0f, -0.0f, 1e-30f, -1e-30f, 88.8f, -88.8f, 1e4f, -1e4f};
  for (int i = -400'000; i <= 400'000; ++i) values.push_back(static_cast<float>(i) * 0x1.9p-12f);
  return values;
}

template <class Function>
std::vector<float> each(const std::vector<float>& x, Function function) {
  std::vector<float> result;
  for (const float value : x) result.push_back(function(value));
  return result;
}

}  // namespace

TEST_CASE("swish keeps within the roundings that the check allows it, and makes use of them") {
  const std::vector<float> x = arguments();
  const std::vector<float> c = each(x, sw_swish);
  CHECK(run::different_elements(Activation::kSwish, x, c) == 0);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(std::fabs(x[i]) > 0.01 && std::fabs(x[i]) < 80)) continue;
    const double expected = run::activated(Activation::kSwish, static_cast<double>(x[i]));
    worst = std::max(worst, std::fabs(c[i] - expected) / std::fabs(expected) * 0x1p24);
  }
  CHECK(worst < 4);
  CHECK(worst > 1);
}

TEST_CASE("an activation that is missing, approximate or NaN is found") {
  const std::vector<float> x = each(std::vector<float>(1000, 0.5f), [i = 0](float) mutable {
    return static_cast<float>(++i) * 0.01f;
  });
  const auto different = [&x](auto function) {
    return run::different_elements(Activation::kSwish, x, each(x, function));
  };
  CHECK(different([](float value) { return value; }) == x.size());
  CHECK(different([](float value) { return value / (1 + sw_exponential_taylor2(-value)); }) > x.size() / 2);
  CHECK(different([](float) { return std::numeric_limits<float>::quiet_NaN(); }) == x.size());
  CHECK(different(sw_swish) == 0);
}

TEST_CASE("the bound of an activated product has the largest slope of swish") {
  double slope = 0;
  for (double x = -10; x < 10; x += 0x1p-10)
    slope = std::max(slope, std::fabs(run::activated(Activation::kSwish, x + 0x1p-20) -
                                      run::activated(Activation::kSwish, x)) * 0x1p20);
  const run::Tolerance bound = run::activated(Activation::kSwish, run::Tolerance{1, 0, 0});
  CHECK(slope > 1.0997);
  CHECK(bound.magnitudes > slope);
  CHECK(bound.magnitudes < 1.001 * slope);
}

TEST_CASE("without activation the bound stays and every bit counts") {
  const run::Tolerance product{1, 2, 3}, same = run::activated(Activation::kNone, product);
  CHECK(same.magnitudes == 1);
  CHECK(same.result == 2);
  CHECK(same.absolute == 3);
  CHECK(run::different_elements(Activation::kNone, {1, 2}, {1, std::nextafter(2.0f, 3.0f)}) == 1);
}
