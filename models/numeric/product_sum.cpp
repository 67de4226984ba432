// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/product_sum.h"

#include <cmath>
#include <limits>

#include "models/numeric/half.h"

namespace spica::numeric {

namespace {

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::uint32_t rounded(const SumRule& rule, std::int64_t sum, int last_place) {
  const bool negative = sum < 0;
  const auto magnitude = negative ? -static_cast<std::uint64_t>(sum) : static_cast<std::uint64_t>(sum);
  return rounded_sum(negative, magnitude, last_place, false, rule.result, rule.round);
}

/// Products aligned to the largest of them and cut toward zero.
struct AlignedProducts {
  std::int64_t sum = 0;  // in units of 2^(exponent - fraction_bits)
  int exponent = Number::kZero;
};
AlignedProducts align(const Number* a, const Number* b, unsigned count, unsigned distance,
                      int fraction_bits) {
  AlignedProducts all;
  for (unsigned k = 0; k < count; k += distance)
    all.exponent = std::max(all.exponent, a[k].exponent + b[k].exponent);
  for (unsigned k = 0; k < count; k += distance)
    all.sum += cut(product(a[k], b[k]),
                   Term::kFractionBits - fraction_bits + all.exponent - a[k].exponent - b[k].exponent,
                   Rounding::kZero);
  return all;
}

float flushed(float value) { return std::fabs(value) < 0x1p-126f ? value * 0.0f : value; }
/// The value of an operand without subnormal numbers of its format.
float flushed(const Number& number) {
  const bool is_subnormal = !number.is_special() && std::abs(number.significand) < 1 << Number::kFractionBits;
  return is_subnormal ? 0.0f : number.value;
}

}  // namespace

std::uint32_t aligned_sum(const SumRule& rule, const Term* terms, unsigned count) {
  int most = rule.floor;
  for (unsigned i = 0; i < count; ++i) most = std::max(most, terms[i].exponent);
  std::int64_t sum = 0;
  for (unsigned i = 0; i < count; ++i)
    sum += cut(terms[i].significand, Term::kFractionBits - rule.fraction_bits + most - terms[i].exponent,
               rule.align);
  return rounded(rule, sum, most - rule.fraction_bits);
}

std::uint32_t ProductSum::special(const Number* a, const Number* b, unsigned count, const Number& c) const {
  bool nan = c.is_nan(), plus = false, minus = false;
  const auto add_infinity = [&](bool negative) { (negative ? minus : plus) = true; };
  if (c.is_special() && !nan) add_infinity(c.significand < 0);
  for (unsigned k = 0; k < count; ++k) {
    if (!a[k].is_special() && !b[k].is_special()) continue;
    if (a[k].significand == 0 || b[k].significand == 0) nan = true;  // NaN, or infinity * 0
    else add_infinity((a[k].significand < 0) != (b[k].significand < 0));
  }
  return nan || (plus && minus) ? rule_.nan() : infinity_of(rule_.result, minus);
}

std::uint32_t ProductSum::aligned(const Number* a, const Number* b, unsigned count, std::uint32_t c) const {
  const Number addend = sum_number(rule_.result, c);
  int most = std::max<int>(rule_.floor, addend.exponent);
  for (unsigned k = 0; k < count; ++k) most = std::max(most, a[k].exponent + b[k].exponent);
  if (most > Number::kSpecial / 2) return special(a, b, count, addend);
  const int drop = Term::kFractionBits - rule_.fraction_bits + most;
  std::int64_t sum =
      cut(static_cast<std::int64_t>(addend.significand) * (std::int64_t{1} << Number::kFractionBits),
          drop - addend.exponent, rule_.align);
  for (unsigned k = 0; k < count; ++k)
    sum += cut(product(a[k], b[k]), drop - a[k].exponent - b[k].exponent, rule_.align);
  return rounded(rule_, sum, most - rule_.fraction_bits);
}

std::uint32_t ProductSum::twice_aligned(const Number* a, const Number* b, unsigned count,
                                        std::uint32_t c) const {
  const Number addend = sum_number(rule_.result, c);
  const int bits = rule_.fraction_bits;
  for (unsigned k = 0; k < count; ++k)
    if (a[k].is_special() || b[k].is_special()) return special(a, b, count, addend);
  if (addend.is_special()) return special(a, b, count, addend);
  AlignedProducts products;
  if (rule_.adder == Adder::kOddEven) {
    const AlignedProducts even = align(a, b, count, 2, bits), odd = align(a + 1, b + 1, count - 1, 2, bits);
    products.exponent = std::max(even.exponent, odd.exponent);
    products.sum = cut(even.sum, products.exponent - even.exponent, Rounding::kDown) +
                   cut(odd.sum, products.exponent - odd.exponent, Rounding::kDown);
  } else {
    bool plus = false, minus = false;  // products beyond FP32 are infinite
    for (unsigned k = 0; k < count; ++k) {
      const double exact = static_cast<double>(a[k].value) * static_cast<double>(b[k].value);
      if (std::fabs(exact) >= 0x1p128) (exact < 0 ? minus : plus) = true;
    }
    if (plus || minus) return plus && minus ? rule_.nan() : infinity_of(rule_.result, minus);
    products = align(a, b, count, 1, bits);
  }
  const int most = std::max({products.exponent, addend.exponent, static_cast<int>(rule_.floor)});
  std::int64_t sum = cut(products.sum, most - products.exponent - (kSumBits - bits), Rounding::kDown);
  const bool is_far = rule_.adder == Adder::kOddEven && addend.exponent < most - kFarBits;
  if (!is_far)
    sum += cut(addend.significand, most - addend.exponent - (bits - Number::kFractionBits), Rounding::kDown) *
           (std::int64_t{1} << (kSumBits - bits));
  return rounded(rule_, sum, most - kSumBits);
}

std::uint32_t ProductSum::tree(const Number* a, const Number* b, unsigned count, std::uint32_t c) const {
  float sums[SumRule::kMostProducts] = {};
  unsigned width = 1;
  while (width < count) width *= 2;
  for (unsigned k = 0; k < count; ++k) {
    sums[k] = rule_.flushes ? flushed(flushed(a[k]) * flushed(b[k]) + 0.0f) : a[k].value * b[k].value;
  }
  for (; width > 1; width /= 2) {
    for (unsigned i = 0; i < width / 2; ++i) {
      sums[i] = sums[2 * i] + sums[2 * i + 1];
      if (rule_.flushes) sums[i] = flushed(sums[i]);
    }
  }
  const bool is_half = rule_.result == SumResult::kFp16;
  float addend = is_half ? float_from_half(static_cast<std::uint16_t>(c)) : float_of(c);
  if (rule_.flushes && std::fabs(addend) < 0x1p-126f) addend = 0;
  float sum = addend + sums[0];
  if (rule_.flushes) sum = flushed(sum);
  if (std::isnan(sum)) return rule_.nan();
  return is_half ? half_from_float(sum) : bits_of(sum);
}

std::uint32_t ProductSum::exact(const Number* a, const Number* b, unsigned count, std::uint32_t c) const {
  const Number addend = sum_number(rule_.result, c);
  if (addend.is_special()) return special(a, b, count, addend);
  Term terms[SumRule::kMostProducts + 1];
  for (unsigned k = 0; k < count; ++k) {
    terms[k] = {product(a[k], b[k]), a[k].exponent + b[k].exponent};
    if (terms[k].exponent > Number::kSpecial / 2) return special(a, b, count, addend);
  }
  terms[count] = {static_cast<std::int64_t>(addend.significand) * (std::int64_t{1} << Number::kFractionBits),
                  addend.exponent};
  return exact_sum(rule_, terms, count + 1);
}

std::uint32_t ProductSum::chain(const Number* a, const Number* b, unsigned count, std::uint32_t c) const {
  float sum = float_of(c);
  for (unsigned k = 0; k < count; ++k) sum = std::fma(a[k].value, b[k].value, sum);
  return std::isnan(sum) ? rule_.nan() : bits_of(sum);
}

std::uint32_t ProductSum::step(const Number* a, const Number* b, unsigned count, std::uint32_t c) const {
  switch (rule_.adder) {
    case Adder::kTwoAlignments:
    case Adder::kOddEven: return twice_aligned(a, b, count, c);
    case Adder::kTree: return tree(a, b, count, c);
    case Adder::kExact: return exact(a, b, count, c);
    case Adder::kChain: return chain(a, b, count, c);
    case Adder::kAligned:
    case Adder::kScaledGroups:
    case Adder::kInteger: break;
  }
  return aligned(a, b, count, c);
}

namespace {

/// The k of a product of a block, by its place in the order of the steps.
unsigned k_at(const SumRule& rule, unsigned place) {
  if (!rule.takes_pairs) return place;
  const unsigned half = rule.c_after_products / 2, of_half = place % half;
  return of_half / 2 * 4 + of_half % 2 + (place < half ? 0 : 2);
}

}  // namespace

std::uint32_t ProductSum::block(const Number* a, const Number* b, std::uint32_t c,
                                std::vector<StepTrace>* trace) const {
  Number left[SumRule::kMostProducts], right[SumRule::kMostProducts];
  const unsigned count = rule_.c_after_products;
  for (unsigned place = 0; place < count; ++place) {
    left[place] = a[k_at(rule_, place)];
    right[place] = b[k_at(rule_, place)];
  }
  std::uint32_t sum = 0;
  for (unsigned k = 0; k < count; k += rule_.step_products) {
    const std::uint32_t next = step(left + k, right + k, rule_.step_products, sum);
    if (trace != nullptr) record(left + k, right + k, rule_.step_products, k, sum, next, *trace);
    sum = next;
  }
  // Exact in double precision, and rounded once: FP32 and FP16 have less than half of its bits.
  const Number product = sum_number(rule_.result, sum), addend = sum_number(rule_.result, c);
  const double total = static_cast<double>(product.value) + static_cast<double>(addend.value);
  std::uint32_t result = 0;
  if (std::isnan(total)) result = rule_.nan();
  else if (total != 0)
    result = rule_.result == SumResult::kFp16 ? half_from_float(static_cast<float>(total))
                                              : bits_of(product.value + addend.value);
  if (trace != nullptr) {
    trace->push_back(
        {{{StepTrace::kC, 0, static_cast<double>(addend.value), static_cast<double>(addend.value)}},
         false,
         0,
         0,
         sum,
         result});
  }
  return result;
}

std::uint32_t ProductSum::operator()(const Number* a, const Number* b, unsigned count, std::uint32_t c,
                                     std::vector<StepTrace>* trace) const {
  const unsigned products = rule_.c_after_products != 0 ? rule_.c_after_products : rule_.products_of(count);
  for (unsigned k = 0; k < count; k += products) {
    if (rule_.c_after_products != 0) {
      const std::size_t known = trace != nullptr ? trace->size() : 0;
      c = block(a + k, b + k, c, trace);
      for (std::size_t i = known; trace != nullptr && i < trace->size(); ++i)
        for (StepTrace::Addend& addend : (*trace)[i].addends)
          if (addend.k >= 0) addend.k = static_cast<int>(k + k_at(rule_, static_cast<unsigned>(addend.k)));
      continue;
    }
    const std::uint32_t next = step(a + k, b + k, products, c);
    if (trace != nullptr) record(a + k, b + k, products, k, c, next, *trace);
    c = next;
  }
  return c;
}

}  // namespace spica::numeric
