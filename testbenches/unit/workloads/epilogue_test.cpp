// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/epilogue.h"

#include <cmath>
#include <limits>
#include <random>

#include "models/numeric/convert.h"
#include "platform/workloads/arithmetic.h"
#include "testbenches/support/catch.h"

using namespace spica;
using workloads::Activation;
using workloads::Element;
using workloads::Epilogue;
using workloads::Tolerance;

namespace {

float single(Activation activation, float x) {
  switch (activation) {
    case Activation::kRelu: return x > 0 ? x : 0.0f;
    case Activation::kSwish: return x / (1.0f + std::exp(-x));
    case Activation::kGelu: return x / (1.0f + std::exp(-1.702f * x));
    case Activation::kNone: break;
  }
  return x;
}

/// The steps, written once more.
float element_of(const Epilogue& e, float sum, float bias) {
  float x = single(e.activation, e.bias ? std::fma(sum, e.scale, bias) : sum * e.scale);
  if (e.output == Element::kFp32) return x;
  if (e.has_steps()) x *= e.per_step;
  return numeric::value_of(e.output, numeric::nearest(e.output, x, numeric::Overflow::kSaturate));
}

std::vector<Epilogue> all_epilogues() {
  std::vector<Epilogue> all;
  for (const auto& choice : workloads::kActivations.items)
    for (const std::string& key : workloads::output_formats())
      all.push_back({true, choice.value, *numeric::format_of_key(key), 0.37f, 1});
  for (Epilogue& e : all)
    if (e.has_steps()) e.per_step = 5.3f;
  return all;
}

}  // namespace

TEST_CASE("elements of an epilogue are within its bound, and are those that its steps give") {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> numbers(-1, 1);
  for (const Epilogue& e : all_epilogues()) {
    CAPTURE(numeric::info(e.output).key, workloads::kActivations.name_of(e.activation));
    std::vector<float> sums, bias, c;
    constexpr std::uint32_t kColumns = 16;
    for (unsigned i = 0; i < kColumns; ++i) bias.push_back(numbers(random));
    // Magnitudes from far below the smallest number of FP8 to beyond the largest.
    for (unsigned i = 0; i < 4096; ++i)
      sums.push_back(std::ldexp(numbers(random), static_cast<int>(i % 40) - 24));
    for (unsigned i = 0; i < sums.size(); ++i) c.push_back(element_of(e, sums[i], bias[i % kColumns]));
    CHECK(workloads::different_elements(e, sums, bias, kColumns, c) == 0);

    constexpr double kProduct = 0x1p-24;  // of a sum, as a part of its magnitude
    const Tolerance bound = workloads::finished(e, {kProduct, 0, 0}, 1);
    double worst = 0;
    for (unsigned i = 0; i < sums.size(); ++i) {
      const double magnitude = std::fabs(static_cast<double>(sums[i]));
      // The sum that was meant is next to the one that came out.
      for (const double off : {-1.0, 0.0, 1.0}) {
        const double meant = static_cast<double>(sums[i]) + off * kProduct * magnitude;
        const double wanted = workloads::finished(e, meant, static_cast<double>(bias[i % kColumns]));
        const double allowed =
            bound.magnitudes * magnitude + bound.result * std::fabs(wanted) + bound.absolute;
        worst = std::max(worst, std::fabs(static_cast<double>(c[i]) - wanted) / allowed);
      }
    }
    CHECK(worst <= 1);
    CHECK(worst > 0.25);  // and it is no loose one
  }
}

TEST_CASE("what an epilogue leaves out, or does otherwise, is found") {
  const std::vector<float> sums{-3, -0.25f, 0.125f, 2, 40, 200}, bias{0.5f, -1, 0.75f};
  const Epilogue e{true, Activation::kRelu, Element::kInt8, 0.5f, 4};
  std::vector<float> c;
  for (unsigned i = 0; i < sums.size(); ++i) c.push_back(element_of(e, sums[i], bias[i % 3]));
  CHECK(c.back() == 127);
  CHECK(workloads::different_elements(e, sums, bias, 3, c) == 0);
  const auto found = [&](const Epilogue& other) {
    std::vector<float> wrong;
    for (unsigned i = 0; i < sums.size(); ++i) wrong.push_back(element_of(other, sums[i], bias[i % 3]));
    return workloads::different_elements(e, sums, bias, 3, wrong);
  };
  CHECK(found({false, Activation::kRelu, Element::kInt8, 0.5f, 4}) > 0);
  CHECK(found({true, Activation::kNone, Element::kInt8, 0.5f, 4}) > 0);
  CHECK(found({true, Activation::kRelu, Element::kInt8, 1, 4}) > 0);
  CHECK(found({true, Activation::kRelu, Element::kInt8, 0.5f, 5}) > 0);
  for (float& value : c) value = std::numeric_limits<float>::quiet_NaN();
  CHECK(workloads::different_elements(e, sums, bias, 3, c) == c.size());
  const Epilogue swish{true, Activation::kSwish, Element::kFp32, 1, 1};
  CHECK(workloads::different_elements(swish, sums, bias, 3, c) == c.size());
}

TEST_CASE("steps of C fit its largest magnitude") {
  Epilogue e{true, Activation::kNone, Element::kInt8, 1, 1};
  // The last column is not asked for.
  const std::vector<float> sums{1, -8, 900, 3, 2, 900}, bias{0, -2, 0};
  e.per_step = workloads::fitting_step(e, sums, bias, 2, 2, 3);
  CHECK(e.per_step == 12.7f);
  CHECK(element_of(e, -8, -2) == -127);
  CHECK(workloads::fitting_step(e, {0, 0}, {0}, 2, 1, 1) == 1);
  e = {false, Activation::kRelu, Element::kE4m3, 0.5f, 1};
  CHECK(workloads::fitting_step(e, {-100, 28}, {}, 2, 1, 1) == 32);
}
