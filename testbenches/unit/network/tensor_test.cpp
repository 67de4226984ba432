// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/tensor.h"

#include <cmath>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"

using namespace spica;
using network::ConstantBuilder;
using network::ElementType;

TEST_CASE("elements are counted, and a count that cannot be is refused") {
  CHECK(network::element_count({}) == 1);
  CHECK(network::element_count({2, 3, 4}) == 24);
  CHECK(network::element_count({0, std::int64_t{1} << 39, std::int64_t{1} << 39}) == 0);
  CHECK_THROWS_WITH(network::element_count({1 << 21, 1 << 20}),
                    "a tensor of 2097152x1048576 has more than 2^40 elements");
  CHECK_THROWS_AS(network::element_count({-1}), input::UserError);
}

TEST_CASE("a constant keeps the values of each type, rounded once") {
  const auto one = [](ElementType type, double value) {
    ConstantBuilder builder(type, {1});
    builder.set(0, value);
    return std::move(builder).finish().number_at(0);
  };
  CHECK(one(ElementType::kFp32, 0.1) == 0.1F);
  CHECK(one(ElementType::kFp16, 1 + std::ldexp(1, -11)) == 1);  // a tie, to even
  // Rounding to FP32 first makes a tie of it, which goes to even: 1.
  CHECK(one(ElementType::kFp16, 1 + std::ldexp(1, -11) + std::ldexp(1, -40)) == 1 + std::ldexp(1, -10));
  CHECK(one(ElementType::kBf16, 1 + std::ldexp(1, -8) + std::ldexp(1, -40)) == 1 + std::ldexp(1, -7));
  CHECK(one(ElementType::kFp16, 65520) == HUGE_VAL);
  CHECK(one(ElementType::kFp8E4m3fn, 17) == 16);
  CHECK(one(ElementType::kInt8, -3.9) == -3);
  CHECK(one(ElementType::kBool, 7) == 1);
  CHECK(one(ElementType::kInt64, 1e300) == 9223372036854775807.0);
}
