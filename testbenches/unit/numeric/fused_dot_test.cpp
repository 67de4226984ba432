// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/fused_dot.h"

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "models/base/host_dispatch.h"
#include "models/numeric/half.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/exact_formats.h"
#include "testbenches/support/samples.h"

using namespace spica;
using namespace spica::numeric;
using base::HostCode;
using exact::bits_of;
using exact::float_of;

namespace {

/// The exponent of a number as its format stores it; of a zero: below all others.
int exponent_of(double value, int least) {
  if (value == 0) return -10'000;
  return std::max(std::ilogb(value), least);
}

/// An accumulator in a format of `bits` fraction bits and least exponent `least`.
struct SumFormat {
  int bits, least;
  double largest;
  bool nearest_even;
};
constexpr SumFormat kSingle{23, -126, 0x1.fffffep127, false}, kHalf{10, -14, 65504, true};

/// The truncated sum, written down a second time: in double precision, which holds all of it.
double truncated_sum(const std::vector<double>& a, const std::vector<double>& b, double c, int fraction_bits,
                     const SumFormat& format) {
  double check = c;
  for (std::size_t i = 0; i < a.size(); ++i) check += a[i] * b[i];
  if (!std::isfinite(check)) return check;
  std::vector<int> exponents{exponent_of(c, format.least)};
  for (std::size_t i = 0; i < a.size(); ++i)
    exponents.push_back(exponent_of(a[i], -14) + exponent_of(b[i], -14));
  const int most = *std::max_element(exponents.begin(), exponents.end());
  if (most < -5'000) return 0;
  const double grid = std::ldexp(1.0, most - fraction_bits);
  double sum = std::trunc(c / grid);
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::trunc(a[i] * b[i] / grid);
  const double exact = sum * grid + 0.0;
  if (exact == 0) return 0;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(exact), format.least) - format.bits);
  const double result =
      (format.nearest_even ? std::nearbyint(exact / unit) : std::trunc(exact / unit)) * unit;
  return std::fabs(result) > format.largest ? std::copysign(HUGE_VAL, result) : result + 0.0;
}

double tree_sum(const std::vector<double>& a, const std::vector<double>& b, float c) {
  std::array<float, 8> p{};
  for (std::size_t i = 0; i < a.size(); ++i) p[i] = static_cast<float>(a[i] * b[i]);
  float sum = (p[0] + p[1]) + (p[2] + p[3]);
  if (a.size() > 4) sum += (p[4] + p[5]) + (p[6] + p[7]);
  return sum + c;
}

std::uint16_t random_half(std::mt19937& random, int kind) {
  const auto word = static_cast<std::uint32_t>(random());
  switch (kind) {
    case 0: return static_cast<std::uint16_t>(word);  // all, also infinities and NaN
    case 1: return static_cast<std::uint16_t>(word & 0x87FF);  // small, half of them subnormal
    case 2: return static_cast<std::uint16_t>((word & 0x83FF) | 0x3C00);  // 1..2: cancels
    default: return static_cast<std::uint16_t>((word & 0x8FFF) | 0x3000);
  }
}

/// 0 bits: a tree of FP32 additions.
SumRule rule_of(int fraction_bits, unsigned products, bool half) {
  SumRule rule;
  rule.adder = fraction_bits == 0 ? Adder::kTree : Adder::kAligned;
  rule.fraction_bits = static_cast<std::uint8_t>(fraction_bits);
  rule.step_products = static_cast<std::uint8_t>(products);
  rule.result = half ? SumResult::kFp16 : SumResult::kFp32;
  rule.round = half || rule.is_tree() ? Rounding::kNearest : Rounding::kZero;
  return rule;
}

struct Case {
  const char* name;
  int fraction_bits;
  unsigned terms;
};

/// Eight columns, and how often a result was infinite or NaN.
void check(const Case& which, bool half, HostCode code) {
  constexpr unsigned kRows = 4, kAcross = 16, kMost = 16;
  const SumRule rule = rule_of(which.fraction_bits, which.terms, half);
  alignas(32) std::array<float, kMost * kAcross> b_value{};
  alignas(32) std::array<std::int32_t, kMost * kAcross> b_exponent{};
  alignas(32) std::array<std::uint32_t, kRows * kAcross> c{};
  std::array<float, kRows * kMost> a_value{};
  std::array<std::int32_t, kRows * kMost> a_exponent{};
  std::array<std::uint16_t, kRows * kMost> a{};
  std::array<std::uint16_t, kMost * kAcross> b{};
  std::mt19937 random(5);
  int special = 0;
  for (int round = 0; round < static_cast<int>(testbench::samples(4000)); ++round) {
    const int kind = round % 4;
    for (auto& value : a) value = random_half(random, kind);
    for (auto& value : b) value = random_half(random, kind);
    if (round % 3 == 0)  // a row of zeros of both signs, as behind the end of a matrix
      for (unsigned t = 0; t < kMost; ++t) a[round % kRows * kMost + t] &= 0x8000;
    for (auto& word : c) {
      if (half) {
        word = random_half(random, static_cast<int>(random() % 4));
      } else if (kind == 2) {  // near the products, so that they cancel
        word = bits_of(static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-29f);
      } else {
        word = static_cast<std::uint32_t>(random());
        if (kind == 1) word &= 0x80FF'FFFF;
      }
    }
    const auto before = c;
    const bool a_finite = take_apart(a.data(), a.size(), a_value.data(), a_exponent.data());
    const bool b_finite = take_apart(b.data(), b.size(), b_value.data(), b_exponent.data());
    const FusedDot step{{a_value.data(), a_exponent.data(), kMost},
                        {b_value.data(), b_exponent.data(), kAcross},
                        a_finite && b_finite,
                        c.data(),
                        kAcross,
                        kRows,
                        kAcross / 8,
                        which.terms};
    add_fused_dot(rule, step, code);
    for (unsigned row = 0; row < kRows; ++row) {
      for (unsigned column = 0; column < kAcross; ++column) {
        std::vector<double> left, right;
        for (unsigned t = 0; t < which.terms; ++t) {
          left.push_back(float_from_half(a[kMost * row + t]));
          right.push_back(float_from_half(b[kAcross * t + column]));
        }
        const std::uint32_t word = before[row * kAcross + column];
        const float old = half ? float_from_half(static_cast<std::uint16_t>(word)) : float_of(word);
        const bool tree = rule.is_tree();
        double expected = tree ? tree_sum(left, right, old)
                               : truncated_sum(left, right, old, which.fraction_bits, half ? kHalf : kSingle);
        std::uint32_t bits;
        if (std::isnan(expected)) bits = half ? (tree ? 0x7E00 : 0x7FFF) : (tree ? 0x7FC0'0000 : 0x7FFF'FFFF);
        else
          bits = half ? half_from_float(static_cast<float>(expected)) : bits_of(static_cast<float>(expected));
        if (tree && expected == 0) bits = c[row * kAcross + column] & (half ? 0x8000 : 0x8000'0000);
        if (!std::isfinite(expected)) ++special;
        if (bits != c[row * kAcross + column]) {
          CAPTURE(which.name, half, round, row, column, old, expected);
          REQUIRE(bits == c[row * kAcross + column]);
        }
      }
    }
  }
  CHECK(special > 1000);
}

}  // namespace

TEST_CASE(
    "dot products are those of an independent model, bit by bit, with subnormals, infinities and cancellation") {
  const Case which =
      GENERATE(Case{"four terms, 23 bits", 23, 4}, Case{"eight terms, 24 bits", 24, 8},
               Case{"eight terms, 25 bits", 25, 8}, Case{"sixteen terms, 25 bits", 25, 16},
               Case{"sixteen terms, 13 bits", 13, 16}, Case{"eight terms, 13 bits", 13, 8},
               Case{"four terms, 7 bits", 7, 4}, Case{"six terms, one bit", 1, 6},
               Case{"nine terms, 24 bits", 24, 9}, Case{"tree of four", 0, 4}, Case{"tree of eight", 0, 8});
  const bool half = GENERATE(false, true);
  const HostCode code = GENERATE(HostCode::kBaseline, HostCode::kAvx2);
  if (!base::host_runs(code)) return;
  check(which, half, code);
}

TEST_CASE("Volta cuts off what lies more than 23 bits below the largest term") {
  // 2^24 + 1: the product 1 lies 24 bits below the accumulator and is lost, whatever its sign.
  const auto sum = [](int bits, float product, float c) {
    alignas(32) std::array<float, 8> value{};
    alignas(32) std::array<std::int32_t, 8> exponent{};
    alignas(32) std::array<std::uint32_t, 8> result{};
    float one_value;
    std::int32_t one_exponent;
    const std::uint16_t one = half_from_float(1);
    std::array<std::uint16_t, 8> b{};
    b.fill(half_from_float(product));
    result.fill(bits_of(c));
    take_apart(&one, 1, &one_value, &one_exponent);
    take_apart(b.data(), 8, value.data(), exponent.data());
    add_fused_dot(rule_of(bits, 1, false), {{&one_value, &one_exponent, 1},
                                            {value.data(), exponent.data(), 8},
                                            true,
                                            result.data(),
                                            8,
                                            1,
                                            1,
                                            1});
    return float_of(result[3]);
  };
  CHECK(sum(23, -1, 0x1p24f) == 0x1p24f);
  CHECK(sum(24, -1, 0x1p24f) == 0x1.fffffep23f);
  CHECK(sum(23, -2, 0x1p24f) == 0x1p24f - 2);
}

TEST_CASE("several steps in one call are the steps one after the other, also where one is infinite or tiny") {
  constexpr unsigned kRows = 3, kTerms = 16;
  std::mt19937 random(11);
  const int bits = GENERATE(23, 24, 0, 13);
  const bool half = GENERATE(false, true);
  const unsigned step = bits == 23 ? 4 : 8;
  const SumRule rule = rule_of(bits, step, half);
  const HostCode code = GENERATE(HostCode::kBaseline, HostCode::kAvx2);
  if (!base::host_runs(code)) return;
  for (int round = 0; round < 2000; ++round) {
    const int kind = round % 5;  // 4: hardly anything but zeros
    std::array<std::uint16_t, kRows * kTerms> a{};
    std::array<std::uint16_t, kTerms * 8> b{};
    const auto draw = [&] {
      return kind != 4 || random() % 16 == 0 ? random_half(random, kind % 4) : std::uint16_t{0};
    };
    for (auto& value : a) value = draw();
    for (auto& value : b) value = draw();
    std::array<float, kRows * kTerms> a_value;
    std::array<std::int32_t, kRows * kTerms> a_exponent;
    std::array<float, kTerms * 8> b_value;
    std::array<std::int32_t, kTerms * 8> b_exponent;
    const bool a_finite = take_apart(a.data(), a.size(), a_value.data(), a_exponent.data());
    const bool b_finite = take_apart(b.data(), b.size(), b_value.data(), b_exponent.data());
    std::array<std::uint32_t, kRows * 8> at_once{};
    for (auto& word : at_once)
      word = half ? random_half(random, kind % 4)
                  : static_cast<std::uint32_t>(random()) & (kind == 4 ? 0x80FF'FFFF : ~0u);
    auto apart = at_once;
    add_fused_dot(rule,
                  {{a_value.data(), a_exponent.data(), kTerms},
                   {b_value.data(), b_exponent.data(), 8},
                   a_finite && b_finite,
                   at_once.data(),
                   8,
                   kRows,
                   1,
                   kTerms},
                  code);
    for (unsigned k = 0; k < kTerms; k += step)
      add_fused_dot(rule,
                    {{a_value.data() + k, a_exponent.data() + k, kTerms},
                     {b_value.data() + std::size_t{k} * 8, b_exponent.data() + std::size_t{k} * 8, 8},
                     a_finite && b_finite,
                     apart.data(),
                     8,
                     kRows,
                     1,
                     step},
                    code);
    REQUIRE(at_once == apart);
  }
}
