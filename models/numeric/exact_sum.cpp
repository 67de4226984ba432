// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "models/numeric/product_sum.h"

namespace spica::numeric {

namespace {

/// Any sum of products and of FP32 numbers, exactly: digits of 32 bits, the lowest one first.
class WideSum {
 public:
  void add(const Term& term) {
    const int position = term.exponent - kLeastExponent;
    const auto digit = static_cast<std::size_t>(position / kDigitBits);
    const int shift = position % kDigitBits;
    const bool negative = term.significand < 0;
    std::uint64_t rest = negative ? -static_cast<std::uint64_t>(term.significand)
                                  : static_cast<std::uint64_t>(term.significand);
    // Three digits hold the 48 bits of a product at any shift.
    const std::uint64_t low = (rest & kDigit) << shift, high = (rest >> kDigitBits) << shift;
    const std::int64_t parts[] = {static_cast<std::int64_t>(low & kDigit),
                                  static_cast<std::int64_t>((low >> kDigitBits) + (high & kDigit)),
                                  static_cast<std::int64_t>(high >> kDigitBits)};
    for (std::size_t i = 0; i < 3; ++i) digits_[digit + i] += negative ? -parts[i] : parts[i];
  }
  std::uint32_t rounded(const SumRule& rule) {
    const bool negative = carry() < 0;
    if (negative) {
      for (std::int64_t& digit : digits_) digit = -digit;
      carry();
    }
    std::size_t top = kDigits;
    while (top != 0 && digits_[top - 1] == 0) --top;
    if (top == 0) return 0;
    const std::size_t low = top >= 2 ? top - 2 : 0;
    const auto digit = [&](std::size_t i) { return static_cast<std::uint64_t>(digits_[i]); };
    const std::uint64_t magnitude = low + 1 < top ? digit(low + 1) << kDigitBits | digit(low) : digit(low);
    bool sticky = false;
    for (std::size_t i = 0; i < low; ++i) sticky = sticky || digits_[i] != 0;
    return rounded_sum(negative, magnitude,
                       static_cast<int>(low) * kDigitBits + kLeastExponent - Term::kFractionBits, sticky,
                       rule.result, rule.round);
  }

 private:
  static constexpr int kDigitBits = 32, kLeastExponent = -256;  // of products: -252
  static constexpr std::uint64_t kDigit = 0xFFFF'FFFF;
  static constexpr std::size_t kDigits = 20;  // up to 2^(-256 - 46 + 640)

  /// Brings all digits but the last into 0..2^32 - 1; returns the sign of the sum.
  std::int64_t carry() {
    std::int64_t carried = 0;
    for (std::size_t i = 0; i < kDigits; ++i) {
      const std::int64_t sum = digits_[i] + carried;
      carried = sum >> kDigitBits;
      digits_[i] = i + 1 == kDigits ? sum : sum & static_cast<std::int64_t>(kDigit);
    }
    return digits_.back();
  }
  std::array<std::int64_t, kDigits> digits_{};
};

}  // namespace

std::uint32_t exact_sum(const SumRule& rule, const Term* terms, unsigned count) {
  WideSum sum;
  for (unsigned i = 0; i < count; ++i)
    if (terms[i].significand != 0) sum.add(terms[i]);
  return sum.rounded(rule);
}

}  // namespace spica::numeric
