// SPDX-License-Identifier: Apache-2.0
// The vector code of sums against product_sum.h, with the code of each kind of host. SPICA_SUMS: sets of each rule.
#include <array>
#include <random>
#include <vector>

#include "models/base/host_dispatch.h"
#include "models/numeric/convert.h"
#include "models/numeric/fused_dot.h"
#include "models/numeric/fused_parts.h"
#include "models/numeric/silicon.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/numeric/draws.h"

using namespace spica;
using namespace spica::numeric;

namespace {

constexpr std::uint32_t kQuickRows = 2, kQuickColumns = 16, kProducts = 64;

/// A matrix of random numbers of a format. The exponents are those of the format, a few of them, or small.
struct QuickMatrix {
  QuickMatrix(Format format, std::uint32_t count, unsigned kind, std::mt19937& random)
      : numbers(count), values(count), exponents(count) {
    const FormatInfo& f = info(format);
    for (float& number : numbers) {
      auto code = static_cast<std::uint32_t>(random());
      const std::uint32_t mask = ((1u << f.exponent_bits) - 1) << f.fraction_bits;
      if (format == Format::kTf32) code = code >> 13;
      std::uint32_t field = code & mask;
      if (kind % 4 != 0)
        field = static_cast<std::uint32_t>(f.bias + static_cast<int>(random() % 6) - (kind % 4 == 2 ? 5 : 2))
                << f.fraction_bits;
      if (kind % 4 != 0 && f.bias < 5) field = code & mask;
      code = (code & ~mask) | field;
      number = value_of(format, format == Format::kTf32 ? code << 13 : code);
      if (random() % 16 == 0) number = 0;
    }
    is_quick = take_apart(format, numbers.data(), count, values.data(), exponents.data());
  }
  std::vector<float> numbers, values;
  std::vector<std::int32_t> exponents;
  bool is_quick = false;
};

void check(const SumRule& rule, Format format, base::HostCode code, unsigned sets) {
  std::mt19937 random(52);
  for (unsigned set = 0; set < sets; ++set) {
    QuickMatrix a(format, kQuickRows * kProducts, set, random),
        b(format, kProducts * kQuickColumns, set, random);
    if (set % 3 == 0)  // products that cancel
      for (std::uint32_t t = 0; t + 1 < kProducts; t += 4) {
        for (std::uint32_t row = 0; row < kQuickRows; ++row) {
          a.values[row * kProducts + t + 1] = -a.values[row * kProducts + t];
          a.exponents[row * kProducts + t + 1] = a.exponents[row * kProducts + t];
        }
        for (std::uint32_t column = 0; column < kQuickColumns; ++column) {
          b.values[(t + 1) * kQuickColumns + column] = b.values[t * kQuickColumns + column];
          b.exponents[(t + 1) * kQuickColumns + column] = b.exponents[t * kQuickColumns + column];
        }
      }
    alignas(32) std::array<std::uint32_t, kQuickRows * kQuickColumns> quick{}, slow{};
    for (std::uint32_t& word : quick) {
      word = static_cast<std::uint32_t>(random());
      if (rule.result == SumResult::kFp16) word = set % 5 == 0 ? word & 0xFFFF : word & 0xBFFF;
      else if (set % 5 != 0) word = (word & 0x83FF'FFFF) | 0x3C00'0000;
      if (word % 8 == 0) word = 0;
    }
    slow = quick;
    FusedDot dot{{a.values.data(), a.exponents.data(), kProducts},
                 {b.values.data(), b.exponents.data(), kQuickColumns},
                 a.is_quick && b.is_quick,
                 quick.data(),
                 kQuickColumns,
                 kQuickRows,
                 kQuickColumns / 8,
                 kProducts};
    add_fused_dot(rule, dot, code);
    dot.c = slow.data();
    for (std::uint32_t row = 0; row < kQuickRows; ++row)
      for (std::uint32_t column = 0; column < kQuickColumns; column += 8)
        add_fused_dot_slowly(rule, dot, row, column);
    CAPTURE(text(rule), info(format).key, set);
    REQUIRE(quick == slow);
  }
}

}  // namespace

TEST_CASE("the quick code of each rule gives the bits of the slow code, on every kind of host") {
  constexpr unsigned kSums = kQuickRows * kQuickColumns;
  const unsigned sets = testbench::draws(60 * kSums) / kSums;
  unsigned rules = 0;
  for (const SiliconRule& rule : silicon_rules()) {
    if (!has_quick_code(rule.rule)) continue;
    for (const FormatInfo& format : kFormats) {
      if (!format.is_float || !has_word(rule.operands, format.key)) continue;
      ++rules;
      for (const base::HostCode code : {base::HostCode::kBaseline, base::HostCode::kAvx2})
        if (base::host_runs(code)) check(rule.rule, *format_of_key(format.key), code, sets);
    }
  }
  CHECK(rules >= 30);
  SumRule floor;  // the least exponent among those of the accumulators
  floor.result = SumResult::kFp16;
  floor.round = Rounding::kNearest;
  for (const int least : {-30, -3, 4, 15}) {
    floor.floor = static_cast<std::int16_t>(least);
    check(floor, Format::kFp16, base::host_code(), sets);
  }
}

TEST_CASE("rules whose sums do not fit into 32 bits have no quick code") {
  SumRule rule;
  CHECK(has_quick_code(rule));
  rule.fraction_bits = 26;
  CHECK_FALSE(has_quick_code(rule));
  rule = {};
  rule.align = Rounding::kDown;
  CHECK_FALSE(has_quick_code(rule));
  rule = {};
  rule.round = Rounding::kNearest;
  CHECK_FALSE(has_quick_code(rule));
  rule = {};
  rule.step_products = 32;
  rule.fraction_bits = 25;
  CHECK_FALSE(has_quick_code(rule));
  rule = {};
  rule.c_after_products = 8;
  CHECK_FALSE(has_quick_code(rule));
  rule = {};
  rule.floor = 0;
  CHECK_FALSE(has_quick_code(rule));
}
