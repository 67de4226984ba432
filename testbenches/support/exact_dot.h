// SPDX-License-Identifier: Apache-2.0
// Dot products of matrix units written down a second time, in integers of 1024 bits: nothing of models/numeric is used.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace spica::numeric::exact_dot {

using Integer = boost::multiprecision::int1024_t;

/// A format of operands: fields, and what its largest codes mean.
struct Format {
  const char* key;
  int exponent_bits, fraction_bits, bias;
  enum { kIeee, kOneNan, kNumbers, kMinusZeroNan } specials;
  int unused = 0;  // low bits of the word
};
constexpr Format kFormats[] = {{"fp16", 5, 10, 15, Format::kIeee},
                               {"bf16", 8, 7, 127, Format::kIeee},
                               {"tf32", 8, 10, 127, Format::kIeee, 13},
                               {"fp32", 8, 23, 127, Format::kIeee},
                               {"fp8_e4m3", 4, 3, 7, Format::kOneNan},
                               {"fp8_e5m2", 5, 2, 15, Format::kIeee},
                               {"fp6_e3m2", 3, 2, 3, Format::kNumbers},
                               {"fp6_e2m3", 2, 3, 1, Format::kNumbers},
                               {"fp4_e2m1", 2, 1, 1, Format::kNumbers},
                               {"fp8_e4m3fnuz", 4, 3, 8, Format::kMinusZeroNan},
                               {"fp8_e5m2fnuz", 5, 2, 16, Format::kMinusZeroNan}};

inline const Format& format_of(std::string_view key) {
  for (const Format& format : kFormats)
    if (format.key == key) return format;
  throw std::logic_error("the reference does not have this format");
}

struct Value {
  enum { kFinite, kInfinite, kNan } kind = kFinite;
  bool negative = false;
  std::int64_t significand = 0;
  int last_place = 0, exponent = 0;  // the exponent of the format

  double number() const {
    return std::ldexp(static_cast<double>(negative ? -significand : significand), last_place);
  }
};

inline Value decoded(const Format& format, std::uint32_t word) {
  word >>= format.unused;
  const int most = (1 << format.exponent_bits) - 1, whole = 1 << format.fraction_bits;
  const int fraction = static_cast<int>(word) & (whole - 1);
  const int field = static_cast<int>(word >> format.fraction_bits) & most;
  Value value;
  value.negative = (word >> (format.fraction_bits + format.exponent_bits) & 1) != 0;
  if (format.specials == Format::kIeee && field == most)
    value.kind = fraction != 0 ? Value::kNan : Value::kInfinite;
  if (format.specials == Format::kOneNan && field == most && fraction == whole - 1) value.kind = Value::kNan;
  if (format.specials == Format::kMinusZeroNan && value.negative && field == 0 && fraction == 0)
    value.kind = Value::kNan;
  value.exponent = (field == 0 ? 1 : field) - format.bias;
  value.significand = field == 0 ? fraction : fraction + whole;
  value.last_place = value.exponent - format.fraction_bits;
  return value;
}

/// A rule as the sources state it, and mutations of it.
struct Rule {
  enum Kind { kAligned, kGroups, kTwice, kOddEven, kTree, kExact, kChain } kind = kAligned;
  int products = 8, fraction_bits = 24;
  bool half = false, e8m13 = false, nearest = false;
  int floor = -100'000;
  int c_last = 0;
  bool pairs = false, flush = false;
  bool normalized = false, sticky = false;  // mutations
};

class Dot {
 public:
  explicit Dot(const Rule& rule) : rule_(rule) {}
  std::uint32_t operator()(const std::vector<Value>& a, const std::vector<Value>& b, std::uint32_t c) const {
    const auto k = static_cast<int>(a.size());
    if (rule_.c_last != 0) {
      for (int first = 0; first < k; first += rule_.c_last) c = add_last(a, b, first, c);
      return c;
    }
    const int at_once = std::min(rule_.products, k);
    for (int first = 0; first < k; first += at_once) {
      std::vector<int> indices(static_cast<std::size_t>(at_once));
      for (int i = 0; i < at_once; ++i) indices[static_cast<std::size_t>(i)] = first + i;
      c = step(a, b, indices, c);
    }
    return c;
  }
  Value sum_value(std::uint32_t word) const { return decoded(rule_.half ? kFormats[0] : kFormats[3], word); }

  struct Term {
    Integer value;  // times 2^kScale
    int exponent;
  };
  static constexpr int kScale = 420;
  static Integer scaled(std::int64_t significand, int last_place) {
    return Integer(significand) << (last_place + kScale);
  }

  std::uint32_t aligned(std::vector<Term> terms) const {
    int most = rule_.floor;
    for (Term& term : terms) {
      if (rule_.normalized && term.value != 0)
        term.exponent = static_cast<int>(msb(Integer(abs(term.value)))) - kScale;
      most = std::max(most, term.exponent);
    }
    Integer sum = 0;
    for (const Term& term : terms) sum += cut(term.value, most - rule_.fraction_bits, false);
    return rounded(sum);
  }

 private:
  /// The multiple of 2^grid toward zero, or down.
  Integer cut(const Integer& value, int grid, bool down) const {
    const int shift = grid + kScale;
    if (shift <= 0) return value;
    const Integer magnitude = abs(value), unit = Integer(1) << shift;
    Integer count = magnitude / unit;
    const bool rest = magnitude % unit != 0;
    if (down && value < 0 && rest) ++count;
    Integer kept = count * unit;
    if (rule_.sticky && rest) kept += unit / 2;
    return value < 0 ? Integer(-kept) : kept;
  }
  std::uint32_t nan() const {
    const bool nvidia = rule_.kind == Rule::kAligned || rule_.kind == Rule::kGroups;
    return rule_.half ? (nvidia ? 0x7FFF : 0x7E00) : nvidia ? 0x7FFFFFFF : 0x7FC00000;
  }
  std::uint32_t infinity(bool negative) const {
    return rule_.half ? (negative ? 0xFC00 : 0x7C00) : negative ? 0xFF800000 : 0x7F800000;
  }
  std::uint32_t rounded(const Integer& sum) const {
    if (sum == 0) return 0;
    const Integer magnitude = abs(sum);
    const int fraction = rule_.half ? 10 : rule_.e8m13 ? 13 : 23, least = rule_.half ? -14 : -126;
    const int unit = std::max(static_cast<int>(msb(magnitude)) - kScale, least) - fraction;
    const Integer one = Integer(1) << (unit + kScale), rest = magnitude % one;
    Integer count = magnitude / one;
    if (rule_.nearest && (rest * 2 > one || (rest * 2 == one && count % 2 != 0))) ++count;
    const auto exact = std::ldexp(count.convert_to<double>(), unit);
    if (exact >= (rule_.half ? 65520.0 : 0x1p128)) return infinity(sum < 0);
    std::uint32_t word = 0;
    if (rule_.half) {
      if (exact >= 0x1p-14) {
        const int exponent = std::ilogb(exact);
        word = static_cast<std::uint32_t>((exponent + 15) << 10) +
               static_cast<std::uint32_t>(std::ldexp(exact, 10 - exponent) - 1024);
      } else {
        word = static_cast<std::uint32_t>(std::ldexp(exact, 24));
      }
    } else {
      const auto single = static_cast<float>(exact);
      std::memcpy(&word, &single, sizeof word);
    }
    return sum < 0 && word != 0 ? word | (rule_.half ? 0x8000u : 0x80000000u) : word;
  }
  std::uint32_t step(const std::vector<Value>& a, const std::vector<Value>& b,
                     const std::vector<int>& indices, std::uint32_t c) const {
    const Value addend = sum_value(c);
    if (rule_.kind == Rule::kTree) return tree(a, b, indices, c);
    if (rule_.kind == Rule::kChain) {
      float sum = static_cast<float>(addend.kind == Value::kFinite ? addend.number() : 0);
      if (addend.kind != Value::kFinite || (c & 0x7FFFFFFF) == 0) std::memcpy(&sum, &c, sizeof sum);
      for (const int i : indices) sum = std::fmaf(single(a[at(i)]), single(b[at(i)]), sum);
      std::uint32_t word;
      std::memcpy(&word, &sum, sizeof word);
      return std::isnan(sum) ? nan() : word;
    }
    bool is_nan = addend.kind == Value::kNan, plus = false, minus = false;
    if (addend.kind == Value::kInfinite) (addend.negative ? minus : plus) = true;
    bool is_special = is_nan || plus || minus;
    for (const int i : indices) {
      const Value &x = a[at(i)], &y = b[at(i)];
      if (x.kind == Value::kFinite && y.kind == Value::kFinite) continue;
      is_special = true;
      const bool zero = (x.kind == Value::kFinite && x.significand == 0) ||
                        (y.kind == Value::kFinite && y.significand == 0);
      if (x.kind == Value::kNan || y.kind == Value::kNan || zero) is_nan = true;
      else (x.negative != y.negative ? minus : plus) = true;
    }
    if (is_special) return is_nan || (plus && minus) ? nan() : infinity(minus);
    std::vector<Term> terms;
    for (const int i : indices) {
      const Value &x = a[at(i)], &y = b[at(i)];
      const std::int64_t product = x.significand * y.significand;
      if (product == 0) continue;
      const Term term{scaled(x.negative != y.negative ? -product : product, x.last_place + y.last_place),
                      x.exponent + y.exponent};
      if (rule_.kind == Rule::kTwice && abs(term.value) >= Integer(1) << (128 + kScale))
        (term.value < 0 ? minus : plus) = true;
      terms.push_back(term);
    }
    if (plus || minus) return plus && minus ? nan() : infinity(minus);
    const Term last{scaled(addend.negative ? -addend.significand : addend.significand, addend.last_place),
                    addend.significand == 0 ? -100'000 : addend.exponent};
    if (rule_.kind == Rule::kTwice || rule_.kind == Rule::kOddEven) return twice(a, b, indices, last);
    if (rule_.kind == Rule::kExact) {
      Integer sum = last.value;
      for (const Term& term : terms) sum += term.value;
      return rounded(sum);
    }
    if (last.value != 0) terms.push_back(last);
    return aligned(terms);
  }
  std::uint32_t twice(const std::vector<Value>& a, const std::vector<Value>& b,
                      const std::vector<int>& indices, const Term& c) const {
    const bool apart = rule_.kind == Rule::kOddEven;
    Integer sums[2] = {0, 0};
    int exponents[2] = {-100'000, -100'000};
    for (int group = 0; group < (apart ? 2 : 1); ++group) {
      std::vector<Term> terms;
      for (std::size_t n = 0; n < indices.size(); ++n) {
        if (apart && static_cast<int>(n % 2) != group) continue;
        const Value &x = a[at(indices[n])], &y = b[at(indices[n])];
        const std::int64_t product = x.significand * y.significand;
        if (product != 0)
          terms.push_back({scaled(x.negative != y.negative ? -product : product, x.last_place + y.last_place),
                           x.exponent + y.exponent});
      }
      for (Term& term : terms) {
        if (rule_.normalized) term.exponent = static_cast<int>(msb(Integer(abs(term.value)))) - kScale;
        exponents[group] = std::max(exponents[group], term.exponent);
      }
      for (const Term& term : terms)
        sums[group] += cut(term.value, exponents[group] - rule_.fraction_bits, false);
    }
    const int joined = std::max(exponents[0], exponents[1]);
    Integer sum = apart ? Integer(cut(sums[0], joined - rule_.fraction_bits, true) +
                                  cut(sums[1], joined - rule_.fraction_bits, true))
                        : sums[0];
    const int most = std::max({joined, c.exponent, rule_.floor});
    sum = cut(sum, most - 31, true);
    if (!apart || c.exponent >= most - 25) sum += cut(c.value, most - 24, true);
    return rounded(sum);
  }
  std::uint32_t tree(const std::vector<Value>& a, const std::vector<Value>& b,
                     const std::vector<int>& indices, std::uint32_t c) const {
    std::vector<float> sums;
    const auto flushed = [&](float x) { return rule_.flush && std::fabs(x) < 0x1p-126f ? x * 0.0f : x; };
    for (const int i : indices) sums.push_back(flushed(std::fmaf(single(a[at(i)]), single(b[at(i)]), 0.0f)));
    while (sums.size() > 1) {
      std::vector<float> next;
      for (std::size_t i = 0; i < sums.size(); i += 2) next.push_back(flushed(sums[i] + sums[i + 1]));
      sums = next;
    }
    float addend;
    std::memcpy(&addend, &c, sizeof addend);
    if (rule_.flush && std::fabs(addend) < 0x1p-126f) addend = 0;
    const float sum = flushed(addend + sums[0]);
    std::uint32_t word;
    std::memcpy(&word, &sum, sizeof word);
    return std::isnan(sum) ? nan() : word;
  }
  std::uint32_t add_last(const std::vector<Value>& a, const std::vector<Value>& b, int first,
                         std::uint32_t c) const {
    std::uint32_t sum = 0;
    for (int part = 0; part < rule_.c_last / rule_.products; ++part) {
      std::vector<int> indices;
      for (int k = 0; k < rule_.c_last; ++k)
        if ((rule_.pairs ? k % 4 / 2 : k / rule_.products) == part) indices.push_back(first + k);
      sum = step(a, b, indices, sum);
    }
    const Value product = sum_value(sum), addend = sum_value(c);
    if (product.kind == Value::kNan || addend.kind == Value::kNan ||
        (product.kind == Value::kInfinite && addend.kind == Value::kInfinite &&
         product.negative != addend.negative))
      return nan();
    if (product.kind == Value::kInfinite) return infinity(product.negative);
    if (addend.kind == Value::kInfinite) return infinity(addend.negative);
    Rule nearest = rule_;
    nearest.nearest = true;
    return Dot(nearest).rounded(
        scaled(product.negative ? -product.significand : product.significand, product.last_place) +
        scaled(addend.negative ? -addend.significand : addend.significand, addend.last_place));
  }
  float single(const Value& value) const {
    if (value.kind == Value::kNan) return std::nanf("");
    if (value.kind == Value::kInfinite) return value.negative ? -HUGE_VALF : HUGE_VALF;
    // Subnormal: without the leading bit, which all normal numbers of one format have.
    if (rule_.flush && value.significand < std::int64_t{1} << (value.exponent - value.last_place)) return 0;
    return static_cast<float>(value.negative && value.significand == 0 ? -0.0 : value.number());
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const Rule rule_;
};

}  // namespace spica::numeric::exact_dot
