// SPDX-License-Identifier: Apache-2.0
// Operands on their way through a DMA that converts.
#include "platform/workloads/gemm_loads.h"

#include <cmath>

#include "testbenches/support/catch.h"

using namespace spica::workloads;

namespace {
constexpr double kHalfStep = 0.5;  // of integers
}

TEST_CASE("integers of memory have a scale, which the DMA takes away") {
  const std::vector<float> values{-0.5f, 0.25f, 0.125f, 0.75f};
  const LoadedValues loaded = load_values(values, Element::kInt4, Element::kFp16, false);
  CHECK(loaded.step == 1);
  CHECK(static_cast<double>(loaded.scale) == Approx(0.75 / 7));
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(loaded.stored[i] == std::nearbyint(loaded.stored[i]));
    CHECK(std::fabs(loaded.stored[i]) <= 7);
    CHECK(std::fabs(loaded.loaded[i] - values[i]) <= kHalfStep * 0.75 / 7 + 1e-3);
  }
  CHECK(loaded.loaded[3] == Approx(0.75).epsilon(1e-3));
}

TEST_CASE("integers that become integers stay what they are, and keep their scale") {
  const LoadedValues loaded = load_values({-0.5f, 0.25f, 0.75f}, Element::kInt4, Element::kInt8, false);
  CHECK(loaded.scale == 1);
  CHECK(loaded.loaded == loaded.stored);
  CHECK(loaded.step == Approx(0.75 / 7));
  const LoadedValues given = load_values({-3, 7, 0}, Element::kInt4, Element::kInt8, false);
  CHECK(given.step == 1);
  CHECK(given.stored == std::vector<float>{-3, 7, 0});
}

TEST_CASE("what the unit multiplies has a scale of its own where its format needs one") {
  const LoadedValues loaded = load_values({-0.5f, 0.25f, 0.75f}, Element::kFp32, Element::kInt8, false);
  CHECK(loaded.stored == std::vector<float>{-0.5f, 0.25f, 0.75f});
  CHECK(loaded.loaded[2] == 127);
  CHECK(loaded.step * 127 == Approx(0.75));
  const LoadedValues narrow = load_values({-0.5f, 0.25f, 0.75f}, Element::kFp32, Element::kE4m3, true);
  CHECK(narrow.loaded[2] == 448);
  CHECK(load_values({-0.5f, 0.25f, 0.75f}, Element::kFp32, Element::kE4m3, false).loaded[2] == 0.75f);
}

TEST_CASE("formats of 8 bits have a scale in memory where it is asked for") {
  const LoadedValues plain = load_values({0.001f, 0.002f}, Element::kE4m3, Element::kFp16, false);
  const LoadedValues scaled = load_values({0.001f, 0.002f}, Element::kE4m3, Element::kFp16, true);
  CHECK(plain.scale == 1);
  CHECK(plain.stored[0] == 0.001953125f);  // the smallest subnormal number
  CHECK(scaled.stored[1] == 448);
  CHECK(scaled.loaded[0] == Approx(0.001).epsilon(1.0 / 16));
  CHECK(scaled.loaded[1] == Approx(0.002).epsilon(1e-3));
}
