// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/mma.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace spica::numeric {

namespace {

constexpr unsigned kGroup = 16;  // products of an exact sum of kScaledGroups

std::int64_t integer_of(const FormatInfo& format, std::uint32_t word) {
  return integer_at(&word, 0,
                    format.bits == 4 ? (format.is_signed ? Format::kInt4 : Format::kUint4)
                                     : (format.is_signed ? Format::kInt8 : Format::kUint8));
}

/// A factor of a block.
Number scale_of(ScaleFormat format, std::uint8_t code) {
  if (format == ScaleFormat::kUe4m3) return number_of(info(Format::kE4m3), code & 0x7F);
  if (code == 255) return {0, Number::kSpecial, 0};
  return {1 << Number::kFractionBits, code - 127, 0};
}

/// The aligned terms of groups and of C.
StepTrace trace_of(const SumRule& rule, const Term* terms, const int* first_of, unsigned count) {
  std::vector<StepTrace::Addend> addends;
  for (unsigned i = 0; i < count; ++i) {
    const double value =
        std::ldexp(static_cast<double>(terms[i].significand), terms[i].exponent - Term::kFractionBits);
    if (value != 0) addends.push_back({first_of[i], terms[i].exponent, value, value});
  }
  return StepTrace::of_aligned(std::move(addends), rule.floor, rule.fraction_bits, rule.align);
}

}  // namespace

Mma::Mma(const SumRule& rule, const OperandInfo& operands)
    : rule_(rule), operands_(&operands), b_operands_(&operands) {}

void Mma::check(unsigned k, bool has) const {
  if (has != has_scales())
    throw std::invalid_argument(has ? std::string(operands_->key) + " has no scales"
                                    : std::string(operands_->key) + " needs scales of A and B");
  if (is_integer() && !has) return;
  const unsigned block = std::max<unsigned>(rule_.block_products(), operands_->scale_block);
  if (!rule_.takes(k) || (has && k % block != 0))
    throw std::invalid_argument("k is " + std::to_string(k) + ": this rule takes " +
                                (rule_.c_after_products == 0 && !has ? "at most one step or " : "") +
                                "a multiple of " + std::to_string(block) + " products");
}

std::vector<Number> Mma::numbers(const std::uint32_t* words, const std::uint8_t* scales, unsigned lines,
                                 unsigned k, std::size_t line_stride, std::size_t k_stride, bool of_a) const {
  const OperandInfo& operand = of_a ? *operands_ : *b_operands_;
  const bool scaled = operand.scale == ScaleFormat::kE8m0 && rule_.adder != Adder::kScaledGroups;
  const unsigned blocks = operand.scale_block != 0 ? k / operand.scale_block : 0;
  std::vector<Number> all(std::size_t{lines} * k);
  for (unsigned line = 0; line < lines; ++line) {
    for (unsigned i = 0; i < k; ++i) {
      Number& number = all[std::size_t{line} * k + i];
      number = number_of(*operand.element, words[line * line_stride + i * k_stride]);
      if (operand.minus_zero_is_nan && number.exponent == Number::kZero && std::signbit(number.value))
        number = Number::nan();
      if (!scaled) continue;
      const unsigned block = i / operand.scale_block;
      const std::uint8_t scale =
          scales[of_a ? std::size_t{line} * blocks + block : std::size_t{block} * lines + line];
      if (scale == 255) number = Number::nan();
      else if (number.exponent != Number::kZero && !number.is_special()) number.exponent += scale - 127;
    }
  }
  return all;
}

std::uint32_t Mma::scaled_groups(const Number* a, const Number* b, const std::uint8_t* scale_a,
                                 const std::uint8_t* scale_b, std::size_t b_stride, unsigned k,
                                 std::uint32_t c, std::vector<StepTrace>* trace) const {
  // A scale's significand has 3 fraction bits, a product of 4-bit numbers 2.
  constexpr int kScaleBits = 3, kProductBits = 2;
  for (unsigned first = 0; first < k; first += rule_.step_products) {
    Term terms[SumRule::kMostProducts / kGroup + 1];
    int first_of[SumRule::kMostProducts / kGroup + 1];
    unsigned count = 0;
    const std::uint32_t before = c;
    const Number addend = sum_number(rule_.result, c);
    bool nan = addend.is_nan();
    for (unsigned group = first; group < first + rule_.step_products; group += kGroup) {
      std::int64_t sum = 0;
      for (unsigned i = group; i < group + kGroup; ++i)
        // Products of 4-bit numbers are multiples of 2^-2.
        sum += static_cast<std::int64_t>(
            std::ldexp(static_cast<double>(a[i].value) * static_cast<double>(b[i].value), kProductBits));
      const unsigned block = group / operands_->scale_block;
      const Number left = scale_of(operands_->scale, scale_a[block]),
                   right = scale_of(operands_->scale, scale_b[block * b_stride]);
      if (left.is_special() || right.is_special()) nan = true;
      if (left.significand == 0 || right.significand == 0) continue;
      const std::int64_t scales = std::int64_t{left.significand >> (Number::kFractionBits - kScaleBits)} *
                                  (right.significand >> (Number::kFractionBits - kScaleBits));
      first_of[count] = static_cast<int>(group);
      terms[count++] = {
          sum * scales * (std::int64_t{1} << (Term::kFractionBits - kProductBits - 2 * kScaleBits)),
          left.exponent + right.exponent};
    }
    first_of[count] = StepTrace::kC;
    terms[count++] = {
        static_cast<std::int64_t>(addend.significand) * (std::int64_t{1} << Number::kFractionBits),
        addend.exponent};
    const bool is_special = nan || addend.is_special();
    if (nan) c = rule_.nan();
    else if (is_special) c = infinity_of(rule_.result, addend.significand < 0);
    else c = aligned_sum(rule_, terms, count);
    if (trace != nullptr) {
      trace->push_back(trace_of(rule_, terms, first_of, is_special ? 0 : count));
      trace->back().c = before;
      trace->back().result = c;
    }
    if (is_special) return c;
  }
  return c;
}

std::uint32_t Mma::integers(const std::uint32_t* a, const std::uint32_t* b, std::size_t b_stride, unsigned k,
                            std::uint32_t c) const {
  std::int64_t sum = static_cast<std::int32_t>(c);
  for (unsigned i = 0; i < k; ++i)
    sum += integer_of(*operands_->element, a[i]) * integer_of(*b_operands_->element, b[i * b_stride]);
  if (saturates_) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

void Mma::operator()(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d,
                     unsigned m, unsigned n, unsigned k) const {
  (*this)(a, b, nullptr, nullptr, c, d, m, n, k);
}

void Mma::operator()(const std::uint32_t* a, const std::uint32_t* b, const std::uint8_t* scale_a,
                     const std::uint8_t* scale_b, const std::uint32_t* c, std::uint32_t* d, unsigned m,
                     unsigned n, unsigned k) const {
  check(k, scale_a != nullptr && scale_b != nullptr);
  if (is_double()) throw std::invalid_argument("FP64 has words of 64 bits");
  if (is_integer()) {
    for (unsigned i = 0; i < m; ++i)
      for (unsigned j = 0; j < n; ++j)
        d[std::size_t{i} * n + j] = integers(a + std::size_t{i} * k, b + j, n, k, c[std::size_t{i} * n + j]);
    return;
  }
  const std::vector<Number> left = numbers(a, scale_a, m, k, k, 1, true);
  const std::vector<Number> right = numbers(b, scale_b, n, k, 1, n, false);
  const ProductSum sum(rule_);
  const unsigned blocks = has_scales() ? k / operands_->scale_block : 0;
  for (unsigned i = 0; i < m; ++i) {
    for (unsigned j = 0; j < n; ++j) {
      const std::size_t at = std::size_t{i} * n + j;
      const Number* const row = &left[std::size_t{i} * k];
      const Number* const column = &right[std::size_t{j} * k];
      d[at] = rule_.adder == Adder::kScaledGroups
                  ? scaled_groups(row, column, scale_a + std::size_t{i} * blocks, scale_b + j, n, k, c[at])
                  : sum(row, column, k, c[at]);
    }
  }
}

void Mma::operator()(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::uint64_t* d,
                     unsigned m, unsigned n, unsigned k) const {
  check(k, false);
  if (!is_double()) throw std::invalid_argument(std::string(operands_->key) + " has words of 32 bits");
  const auto value = [](std::uint64_t word) {
    double number;
    std::memcpy(&number, &word, sizeof number);
    return number;
  };
  for (unsigned i = 0; i < m; ++i) {
    for (unsigned j = 0; j < n; ++j) {
      double sum = value(c[std::size_t{i} * n + j]);
      for (unsigned t = 0; t < k; ++t)
        sum = std::fma(value(a[std::size_t{i} * k + t]), value(b[std::size_t{t} * n + j]), sum);
      if (std::isnan(sum)) sum = std::numeric_limits<double>::quiet_NaN();
      std::memcpy(&d[std::size_t{i} * n + j], &sum, sizeof sum);
    }
  }
}

std::vector<StepTrace> Mma::explain(const std::uint32_t* a, const std::uint32_t* b, unsigned k,
                                    std::uint32_t c, const std::uint8_t* scale_a,
                                    const std::uint8_t* scale_b) const {
  if (is_integer() || is_double())
    throw std::invalid_argument(std::string(operands_->key) +
                                ": only sums of floating-point numbers of at most 32 bits are explained");
  check(k, scale_a != nullptr && scale_b != nullptr);
  std::vector<StepTrace> trace;
  const std::vector<Number> left = numbers(a, scale_a, 1, k, k, 1, true);
  const std::vector<Number> right = numbers(b, scale_b, 1, k, k, 1, false);
  const ProductSum sum(rule_);
  if (rule_.adder == Adder::kScaledGroups)
    scaled_groups(left.data(), right.data(), scale_a, scale_b, 1, k, c, &trace);
  else sum(left.data(), right.data(), k, c, &trace);
  return trace;
}

}  // namespace spica::numeric
