// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <vector>

#include "models/tensor_core/decoupled/decoupled_stats.h"
#include "models/tensor_core/synchronous/tensor_core_stats.h"
#include "models/tensor_core/tensor_core_params.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::tensor_core;

namespace {

struct RangeCheck {
  template <class Number>
  void operator()(std::string_view key, const Number& value, std::string_view, base::Range range,
                  std::string_view doc, std::string_view source) {
    CAPTURE(key);
    CHECK(range.contains(value));
    CHECK_FALSE(doc.empty());
    CHECK_FALSE(source.empty());
  }
  template <class... Rest>
  void operator()(std::string_view, const Rest&...) {}
  template <class Group>
  void group(std::string_view, const Group& params, std::string_view) {
    Group::describe(params, *this);
  }
};

}  // namespace

TEST_CASE("the tensor core's defaults are legal and documented") {
  const TensorCoreParams params;
  TensorCoreParams::describe(params, RangeCheck{});
}

TEST_CASE("a step pair is 4 x 4 results over two words of k") {
  TensorCoreParams params;
  CHECK(params.macs_per_pair() == 4 * 4 * 2);
  CHECK(16 * params.macs_per_pair() == 8 * 8 * 8);
  params.operand = Operand::kFp16;
  CHECK(16 * params.macs_per_pair() == 8 * 8 * 16);
}

TEST_CASE("a row of the decoupled unit is 8 results over 16 bytes of k") {
  TensorCoreParams params;
  params.style = Style::kDecoupled;
  params.operand = Operand::kFp32;
  CHECK(params.macs_per_cycle() == 8 * 4);
  params.operand = Operand::kFp16;
  CHECK(params.macs_per_cycle() == 8 * 8);
  CHECK(128 * params.macs_per_cycle() == 16 * 16 * 32);
}

TEST_CASE("contradictions of a decoupled tensor core name their keys") {
  const auto contradictions = [](const TensorCoreParams& params) {
    std::vector<std::string_view> keys;
    TensorCoreParams::check(params, [&](std::initializer_list<std::string_view> names, std::string_view) {
      keys.insert(keys.end(), names.begin(), names.end());
    });
    return keys;
  };
  TensorCoreParams params;
  CHECK(contradictions(params).empty());
  params.style = Style::kDecoupled;
  CHECK(contradictions(params) == std::vector<std::string_view>{"style", "operand"});  // fp32_v1
  params.operand = Operand::kFp16;
  CHECK(contradictions(params).empty());
  params.latency = 25;
  CHECK(contradictions(params) == std::vector<std::string_view>{"decoupled.accumulator_rows", "latency"});
}

TEST_CASE("every reason of the dot-product units has a name, every counter a description") {
  TensorCoreStats stats;
  DecoupledStats decoupled;
  CHECK(decoupled.dot_product.size() == static_cast<std::size_t>(TileReason::kDraining) + 1);
  for (const auto& entry : decoupled.counters()) {
    CAPTURE(entry.name);
    CHECK_FALSE(entry.description.empty());
  }
  CHECK(stats.dot_product.size() == static_cast<std::size_t>(DotReason::kCount));
  for (const auto& entry : stats.counters()) {
    CAPTURE(entry.name);
    CHECK_FALSE(entry.description.empty());
  }
}
