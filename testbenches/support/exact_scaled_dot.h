// SPDX-License-Identifier: Apache-2.0
// Dot products of blocks with scales written down a second time, in integers of 1024 bits.
#pragma once

#include "testbenches/support/exact_dot.h"

namespace spica::numeric::exact_dot {

using Words = std::vector<std::uint32_t>;
using Scales = std::vector<std::uint8_t>;

/// What becomes of a C, or of a product, that is not finite; false: all are.
struct Special {
  static constexpr std::uint32_t kNan = 0x7FFF'FFFF;
  bool nan = false, plus = false, minus = false;
  bool any() const { return nan || plus || minus; }
  std::uint32_t word() const { return nan || (plus && minus) ? kNan : minus ? 0xFF80'0000 : 0x7F80'0000; }
  void add(const Value& value) {
    if (value.kind == Value::kNan) nan = true;
    if (value.kind == Value::kInfinite) (value.negative ? minus : plus) = true;
  }
  void add_product(const Value& x, const Value& y) {
    if (x.kind == Value::kFinite && y.kind == Value::kFinite) return;
    const bool has_zero =
        (x.kind == Value::kFinite && x.significand == 0) || (y.kind == Value::kFinite && y.significand == 0);
    if (x.kind == Value::kNan || y.kind == Value::kNan || has_zero) nan = true;
    else (x.negative != y.negative ? minus : plus) = true;
  }
};

inline Rule aligned(int bits) {
  Rule rule;
  rule.fraction_bits = bits;
  return rule;
}
inline void add_c(std::vector<Dot::Term>& terms, const Value& c) {
  if (c.significand != 0)
    terms.push_back({Dot::scaled(c.negative ? -c.significand : c.significand, c.last_place), c.exponent});
}

/// MXFP8 and MXFP6: 32 products a step, F 25, both scales in the exponent of each product.
inline std::uint32_t scaled_products(const Format& format, const Words& a, const Words& b,
                                     const Scales& scale_a, const Scales& scale_b, std::uint32_t c) {
  const Dot dot(aligned(25));
  for (std::size_t block = 0; block < scale_a.size(); ++block) {
    const Value addend = dot.sum_value(c);
    std::vector<Dot::Term> terms;
    Special special;
    special.add(addend);
    special.nan = special.nan || scale_a[block] == 255 || scale_b[block] == 255;
    for (std::size_t i = 32 * block; i < 32 * (block + 1); ++i) {
      const Value x = decoded(format, a[i]), y = decoded(format, b[i]);
      special.add_product(x, y);
      const std::int64_t product = x.significand * y.significand;
      const int shift = scale_a[block] + scale_b[block] - 2 * 127;
      if (product != 0 && !special.any())
        terms.push_back(
            {Dot::scaled(x.negative != y.negative ? -product : product, x.last_place + y.last_place + shift),
             x.exponent + y.exponent + shift});
    }
    add_c(terms, addend);
    c = special.any() ? special.word() : dot.aligned(terms);
  }
  return c;
}

/// MXFP4 and NVFP4: groups of 16 exact products, times the significands of both scales; aligned by the exponents of the
/// scales, F 35, 64 products a step.
inline std::uint32_t scaled_groups(bool has_ue4m3, const Words& a, const Words& b, const Scales& scale_a,
                                   const Scales& scale_b, std::uint32_t c) {
  const Dot dot(aligned(35));
  const Format& element = format_of("fp4_e2m1");
  const std::size_t per_scale = has_ue4m3 ? 16 : 32;
  for (std::size_t step = 0; step < a.size(); step += 64) {
    const Value addend = dot.sum_value(c);
    std::vector<Dot::Term> terms;
    Special special;
    special.add(addend);
    for (std::size_t group = step; group < step + 64; group += 16) {
      const auto scale = [&](std::uint8_t code) {
        if (has_ue4m3) return decoded(format_of("fp8_e4m3"), code & 0x7F);
        Value value;
        value.kind = code == 255 ? Value::kNan : Value::kFinite;
        value.significand = 1;
        value.exponent = value.last_place = code - 127;
        return value;
      };
      const Value left = scale(scale_a[group / per_scale]), right = scale(scale_b[group / per_scale]);
      special.add(left);
      special.add(right);
      Integer exact = 0;
      for (std::size_t i = group; i < group + 16; ++i) {
        const Value x = decoded(element, a[i]), y = decoded(element, b[i]);
        const std::int64_t product = x.significand * y.significand;
        exact += Dot::scaled(x.negative != y.negative ? -product : product,
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

}  // namespace spica::numeric::exact_dot
