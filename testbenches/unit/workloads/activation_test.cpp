// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/activation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "platform/workloads/arithmetic.h"
#include "testbenches/support/catch.h"

using namespace spica;
using workloads::Activation;
using workloads::Tolerance;

namespace {

float single_swish(float x) { return x / (1.0f + std::exp(-x)); }

std::uint64_t different(const std::vector<float>& x, float (*function)(float)) {
  std::vector<float> c(x.size());
  std::transform(x.begin(), x.end(), c.begin(), function);
  return workloads::different_elements(Activation::kSwish, x, c);
}

}  // namespace

TEST_CASE("an activation that is missing, approximate or NaN is found") {
  std::vector<float> x;
  for (int i = 1; i <= 1000; ++i) x.push_back(static_cast<float>(i) * 0.01f);
  CHECK(different(x, single_swish) == 0);
  CHECK(different(x, [](float value) { return value; }) == x.size());
  CHECK(different(x, [](float value) { return value / (2 - value + value * value / 2); }) > x.size() / 2);
  CHECK(different(x, [](float value) { return single_swish(value) * (1 + 0x1p-20f); }) == x.size());
  CHECK(different(x, [](float) { return std::numeric_limits<float>::quiet_NaN(); }) == x.size());
}

TEST_CASE("the bound of an activated product has the largest slope of swish") {
  double slope = 0;
  for (double x = -10; x < 10; x += 0x1p-10)
    slope = std::max(slope, std::fabs(workloads::activated(Activation::kSwish, x + 0x1p-20) -
                                      workloads::activated(Activation::kSwish, x)) *
                                0x1p20);
  const Tolerance bound = workloads::activated(Activation::kSwish, Tolerance{1, 0, 0});
  CHECK(slope > 1.0997);
  CHECK(bound.magnitudes > slope);
  CHECK(bound.magnitudes < 1.001 * slope);
}

TEST_CASE("without activation the bound stays and every bit counts") {
  const Tolerance same = workloads::activated(Activation::kNone, Tolerance{1, 2, 3});
  CHECK(same.magnitudes == 1);
  CHECK(same.result == 2);
  CHECK(same.absolute == 3);
  CHECK(workloads::different_elements(Activation::kNone, std::vector<float>{1, 2},
                                      std::vector<float>{1, std::nextafter(2.0f, 3.0f)}) == 1);
}

TEST_CASE("an activated product is within the bound, the product itself is not") {
  const workloads::GemmSize size{16, 16, 64};
  const auto a = workloads::make_operand(16 * 64, 5), b = workloads::make_operand(64 * 16, 6);
  const auto arithmetic =
      workloads::Arithmetic::matrix_unit(workloads::Element::kFp32, 8, workloads::Element::kFp32);
  const auto product = workloads::exact_product(size, a, b, arithmetic);
  std::vector<float> c(product.size());
  std::transform(product.begin(), product.end(), c.begin(), single_swish);
  const auto check = [&](const std::vector<float>& values) {
    return workloads::check_gemm(
        size, a, b, values,
        workloads::activated(Activation::kSwish, workloads::tolerance_of(arithmetic, size.k)),
        [](double x, std::uint32_t) { return workloads::activated(Activation::kSwish, x); });
  };
  CHECK(check(c).correct);
  CHECK(check(c).largest_error > 0);
  CHECK(check(product).wrong > 200);
}
