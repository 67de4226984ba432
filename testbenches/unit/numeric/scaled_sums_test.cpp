// SPDX-License-Identifier: Apache-2.0
// Sums of operands with block scales, against integers of 1024 bits. SPICA_SUMS: dot products of each rule.
#include <random>

#include "models/numeric/mma.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/numeric/draws.h"
#include "testbenches/unit/numeric/exact_dot.h"

using namespace spica::numeric;
namespace ref = spica::numeric::exact_dot;

namespace {

using Words = std::vector<std::uint32_t>;
using Scales = std::vector<std::uint8_t>;

constexpr std::uint32_t kNan = 0x7FFF'FFFF;

/// What becomes of a C, or of a product, that is not finite; false: all are.
struct Special {
  bool nan = false, plus = false, minus = false;
  bool any() const { return nan || plus || minus; }
  std::uint32_t word() const { return nan || (plus && minus) ? kNan : minus ? 0xFF80'0000 : 0x7F80'0000; }
  void add(const ref::Value& value) {
    if (value.kind == ref::Value::kNan) nan = true;
    if (value.kind == ref::Value::kInfinite) (value.negative ? minus : plus) = true;
  }
  void add_product(const ref::Value& x, const ref::Value& y) {
    if (x.kind == ref::Value::kFinite && y.kind == ref::Value::kFinite) return;
    const bool has_zero = (x.kind == ref::Value::kFinite && x.significand == 0) ||
                          (y.kind == ref::Value::kFinite && y.significand == 0);
    if (x.kind == ref::Value::kNan || y.kind == ref::Value::kNan || has_zero) nan = true;
    else (x.negative != y.negative ? minus : plus) = true;
  }
};

ref::Rule aligned(int bits) {
  ref::Rule rule;
  rule.fraction_bits = bits;
  return rule;
}
void add_c(std::vector<ref::Dot::Term>& terms, const ref::Value& c) {
  if (c.significand != 0)
    terms.push_back(
        {ref::Dot::scaled(c.negative ? -c.significand : c.significand, c.last_place), c.exponent});
}

/// MXFP8 and MXFP6: 32 products a step, F 25, both scales in the exponent of each product.
std::uint32_t scaled_products(const ref::Format& format, const Words& a, const Words& b,
                              const Scales& scale_a, const Scales& scale_b, std::uint32_t c) {
  const ref::Dot dot(aligned(25));
  for (std::size_t block = 0; block < scale_a.size(); ++block) {
    const ref::Value addend = dot.sum_value(c);
    std::vector<ref::Dot::Term> terms;
    Special special;
    special.add(addend);
    special.nan = special.nan || scale_a[block] == 255 || scale_b[block] == 255;
    for (std::size_t i = 32 * block; i < 32 * (block + 1); ++i) {
      const ref::Value x = ref::decoded(format, a[i]), y = ref::decoded(format, b[i]);
      special.add_product(x, y);
      const std::int64_t product = x.significand * y.significand;
      const int shift = scale_a[block] + scale_b[block] - 2 * 127;
      if (product != 0 && !special.any())
        terms.push_back({ref::Dot::scaled(x.negative != y.negative ? -product : product,
                                          x.last_place + y.last_place + shift),
                         x.exponent + y.exponent + shift});
    }
    add_c(terms, addend);
    c = special.any() ? special.word() : dot.aligned(terms);
  }
  return c;
}

/// MXFP4 and NVFP4: groups of 16 exact products, times the significands of both scales; aligned by the exponents of the
/// scales, F 35, 64 products a step.
std::uint32_t scaled_groups(bool has_ue4m3, const Words& a, const Words& b, const Scales& scale_a,
                            const Scales& scale_b, std::uint32_t c) {
  const ref::Dot dot(aligned(35));
  const ref::Format& element = ref::format_of("fp4_e2m1");
  const std::size_t per_scale = has_ue4m3 ? 16 : 32;
  for (std::size_t step = 0; step < a.size(); step += 64) {
    const ref::Value addend = dot.sum_value(c);
    std::vector<ref::Dot::Term> terms;
    Special special;
    special.add(addend);
    for (std::size_t group = step; group < step + 64; group += 16) {
      const auto scale = [&](std::uint8_t code) {
        if (has_ue4m3) return ref::decoded(ref::format_of("fp8_e4m3"), code & 0x7F);
        ref::Value value;
        value.kind = code == 255 ? ref::Value::kNan : ref::Value::kFinite;
        value.significand = 1;
        value.exponent = value.last_place = code - 127;
        return value;
      };
      const ref::Value left = scale(scale_a[group / per_scale]), right = scale(scale_b[group / per_scale]);
      special.add(left);
      special.add(right);
      ref::Integer exact = 0;
      for (std::size_t i = group; i < group + 16; ++i) {
        const ref::Value x = ref::decoded(element, a[i]), y = ref::decoded(element, b[i]);
        const std::int64_t product = x.significand * y.significand;
        exact += ref::Dot::scaled(x.negative != y.negative ? -product : product,
                                  x.last_place + y.last_place + left.last_place + right.last_place);
      }
      if (left.significand * right.significand != 0)
        terms.push_back({exact * left.significand * right.significand, left.exponent + right.exponent});
    }
    add_c(terms, addend);
    c = special.any() ? special.word() : dot.aligned(terms);
  }
  return c;
}

}  // namespace

TEST_CASE("sums with block scales are those of an exact reference") {
  std::mt19937 random(521);
  for (const char* const key :
       {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4_e2m1", "nvfp4"}) {
    const bool is_nvfp4 = std::string_view(key) == "nvfp4", has_groups = is_nvfp4 || key[4] == '4';
    const ref::Format& format = ref::format_of(has_groups ? "fp4_e2m1" : key + 2);
    const Mma mma("blackwell", key, "fp32");
    const unsigned bits = 1 + static_cast<unsigned>(format.exponent_bits + format.fraction_bits);
    const std::size_t k = 128, blocks = k / (is_nvfp4 ? 16 : 32);
    Words a(k), b(k);
    Scales scale_a(blocks), scale_b(blocks);
    for (unsigned i = 0; i < spica::testbench::draws(3'000); ++i) {
      const unsigned kind = random() % 4;
      for (Words* words : {&a, &b})
        for (std::uint32_t& word : *words) {
          word = static_cast<std::uint32_t>(random()) & ((1u << bits) - 1);
          if (kind == 0 && random() % 2 != 0) word = 0;
          // Infinities and NaN in one case of four only: else nearly each sum has one.
          while (kind != 3 && ref::decoded(format, word).kind != ref::Value::kFinite) word ^= 1u << 3;
        }
      const unsigned spread = kind == 1 ? 40 : kind == 2 ? 4 : 256;
      for (Scales* scales : {&scale_a, &scale_b})
        for (std::uint8_t& scale : *scales) {
          scale = static_cast<std::uint8_t>(is_nvfp4 ? random() % 256 : 127 - spread / 2 + random() % spread);
          if (kind != 3 && (is_nvfp4 ? scale & 0x7F : scale) == (is_nvfp4 ? 0x7F : 255)) scale = 100;
        }
      auto c = static_cast<std::uint32_t>(random());
      if (kind != 3) c = (c & 0x807F'FFFF) | static_cast<std::uint32_t>(100 + random() % 60) << 23;
      if (random() % 4 == 0) c = 0;
      std::uint32_t found = 0;
      mma(a.data(), b.data(), scale_a.data(), scale_b.data(), &c, &found, 1, 1, static_cast<unsigned>(k));
      const std::uint32_t wanted = has_groups ? scaled_groups(is_nvfp4, a, b, scale_a, scale_b, c)
                                              : scaled_products(format, a, b, scale_a, scale_b, c);
      CAPTURE(key, i, kind, found, wanted);
      REQUIRE(found == wanted);
    }
  }
}
