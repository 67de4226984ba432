// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string_view>

#include "models/tensor_core/tensor_core_params.h"
#include "models/tensor_core/tensor_core_stats.h"

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

TEST_CASE("every reason of the dot-product units has a name, every counter a description") {
  TensorCoreStats stats;
  CHECK(stats.dot_product.size() == static_cast<std::size_t>(DotReason::kCount));
  for (const auto& entry : stats.counters()) {
    CAPTURE(entry.name);
    CHECK_FALSE(entry.description.empty());
  }
}
