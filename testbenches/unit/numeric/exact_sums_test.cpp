// SPDX-License-Identifier: Apache-2.0
// Truncated sums of tensor cores in BF16 and TF32, against rationals.
#include <array>

#include "models/base/host_dispatch.h"
#include "models/numeric/fused_dot.h"
#include "models/numeric/fused_parts.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/exact_sums.h"

using namespace spica;
using namespace spica::numeric;
using exact::bits_of;
using exact::Rational;

namespace {

constexpr unsigned kColumns = 8;

/// The exponent that a number has in its format; of zero nothing.
std::optional<int> exponent(float value, Format format) {
  if (value == 0) return std::nullopt;
  return std::max(std::ilogb(value), info(format).least_exponent());
}

/// The sum of a step: each term is cut off behind `fraction_bits` of the largest one, and so is the sum in FP32.
float truncated(const std::vector<float>& a, const std::vector<float>& b, float c, Format format,
                int fraction_bits) {
  double special = static_cast<double>(c);
  for (std::size_t i = 0; i < a.size(); ++i) special += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  if (!std::isfinite(special)) return static_cast<float>(special);
  std::optional<int> most = exponent(c, Format::kFp32);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto left = exponent(a[i], format), right = exponent(b[i], format);
    if (left && right && (!most || *left + *right > *most)) most = *left + *right;
  }
  if (!most) return 0;
  Rational rest;
  boost::multiprecision::cpp_int sum =
      exact::multiples(exact::of_double(static_cast<double>(c)), *most - fraction_bits, rest);
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += exact::multiples(
        exact::of_double(static_cast<double>(a[i])) * exact::of_double(static_cast<double>(b[i])),
        *most - fraction_bits, rest);
  return exact::to_single(Rational(sum) * exact::power_of_two(*most - fraction_bits), false);
}

}  // namespace

TEST_CASE("steps of BF16 and TF32 products are the truncated sums of rationals, on every kind of host") {
  std::mt19937 random(4);
  for (const Format format : {Format::kBf16, Format::kTf32}) {
    const unsigned at_once = format == Format::kBf16 ? 8 : 4;
    for (unsigned round = 0; round < 300; ++round) {
      const bool any = round % 3 == 0;  // subnormal numbers, infinities, NaN, and what overflows
      std::vector<float> a(at_once), b(at_once * kColumns), va(a.size()), vb(b.size());
      std::vector<std::int32_t> ea(a.size()), eb(b.size());
      for (float& value : a) value = exact::random_number(format, random, any);
      for (float& value : b) value = exact::random_number(format, random, any);
      alignas(32) std::array<std::uint32_t, kColumns> before{}, c{};
      for (std::uint32_t& word : before) word = bits_of(exact::random_number(Format::kFp32, random, any));
      const bool quick_a = take_apart(format, a.data(), at_once, va.data(), ea.data());
      const bool quick = take_apart(format, b.data(), at_once * kColumns, vb.data(), eb.data()) && quick_a;
      if (!any) REQUIRE(quick);
      for (const base::HostCode code : {base::HostCode::kBaseline, base::HostCode::kAvx2}) {
        if (!base::host_runs(code)) continue;
        c = before;
        SumRule rule;  // 24 fraction bits
        rule.step_products = static_cast<std::uint8_t>(at_once);
        add_fused_dot(rule,
                      {{va.data(), ea.data(), at_once},
                       {vb.data(), eb.data(), kColumns},
                       quick,
                       c.data(),
                       kColumns,
                       1,
                       1,
                       at_once},
                      code);
        for (unsigned column = 0; column < kColumns; ++column) {
          std::vector<float> right;
          for (unsigned k = 0; k < at_once; ++k) right.push_back(b[k * kColumns + column]);
          const float wanted = truncated(a, right, exact::float_of(before[column]), format, 24);
          const float is = exact::float_of(c[column]);
          CAPTURE(info(format).key, round, column, wanted, is);
          REQUIRE((std::isnan(wanted) ? c[column] == 0x7FFF'FFFF : bits_of(is) == bits_of(wanted)));
        }
      }
    }
  }
}

TEST_CASE("numbers in words are taken apart as they are") {
  const std::uint32_t words[] = {0x4000'3F80, 0xC040'0001};  // BF16: 1, 2, the least, -3
  const std::uint32_t index[] = {0, 1, 3, 2};
  float values[4];
  std::int32_t exponents[4];
  CHECK(take_apart(Format::kBf16, words, index, 3, values, exponents));
  CHECK(values[0] == 1);
  CHECK(values[2] == -3);
  CHECK(exponents[1] == 1 << Parts::kExponentShift);
  CHECK_FALSE(take_apart(Format::kBf16, words, index, 4, values, exponents));
  CHECK(exponents[3] == -126 * (1 << Parts::kExponentShift));
}
