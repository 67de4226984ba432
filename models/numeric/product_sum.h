// SPDX-License-Identifier: Apache-2.0
// C + a dot product by any SumRule, in integers: the definition that the vector code of fused_dot.h agrees with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/numeric/number.h"
#include "models/numeric/sum_rule.h"

namespace spica::numeric {

/// An addend of an aligned step: significand * 2^(exponent - 46).
struct Term {
  static constexpr int kFractionBits = 2 * Number::kFractionBits;
  std::int64_t significand = 0;
  std::int32_t exponent = Number::kZero;
};

/// significand * 2^-drop, cut toward zero or minus infinity.
inline std::int64_t cut(std::int64_t significand, int drop, Rounding toward) {
  const int shift = std::min(drop, 63);
  if (shift < 0) return significand * (std::int64_t{1} << -shift);
  if (toward == Rounding::kDown || significand >= 0) return significand >> shift;
  return -(-significand >> shift);
}
/// In units of 2^(sum of exponents - 46).
inline std::int64_t product(const Number& a, const Number& b) {
  return static_cast<std::int64_t>(a.significand) * b.significand;
}

/// One step of a sum, for reports; of adders that align twice first its products, then their sums and C.
struct StepTrace {
  static constexpr int kC = -1, kSum = -2;
  struct Addend {
    int k;  // of kScaledGroups the first k of a group; kC; kSum: what is kept of the products before
    int exponent;
    double value, kept;  // before and after the cut
  };
  std::vector<Addend> addends;  // that are not zero
  bool aligned = false;  // the two numbers below have a meaning
  int exponent = 0;  // E
  int grid = 0;  // kept values are multiples of 2^grid
  std::uint32_t c = 0, result = 0;
  bool is_partial = false;  // a sum of products alone, without a result

  /// Addends aligned to the largest exponent, at least `floor`, and cut `bits` below it.
  static StepTrace of_aligned(std::vector<Addend> addends, int floor, unsigned bits, Rounding toward);
};

/// A sum of products and C, of rules with 32-bit results other than kScaledGroups.
class ProductSum {
 public:
  explicit ProductSum(const SumRule& rule) : rule_(rule) {}
  /// C + a[0] * b[0] + ..., `count` products, which the rule must take (SumRule::takes). C and the result are words of the
  /// rule's result. With `trace`, each step is appended to it.
  std::uint32_t operator()(const Number* a, const Number* b, unsigned count, std::uint32_t c,
                           std::vector<StepTrace>* trace = nullptr) const;

 private:
  /// Of kTwoAlignments and kOddEven: bits of the second alignment below the largest term; of kOddEven, C is dropped if its
  /// exponent is more than kFarBits below.
  static constexpr int kSumBits = 31, kFarBits = 25;

  std::uint32_t step(const Number* a, const Number* b, unsigned count, std::uint32_t c) const;
  std::uint32_t block(const Number* a, const Number* b, std::uint32_t c, std::vector<StepTrace>* trace) const;
  std::uint32_t aligned(const Number* a, const Number* b, unsigned count, std::uint32_t c) const;
  std::uint32_t twice_aligned(const Number* a, const Number* b, unsigned count, std::uint32_t c) const;
  std::uint32_t tree(const Number* a, const Number* b, unsigned count, std::uint32_t c) const;
  std::uint32_t exact(const Number* a, const Number* b, unsigned count, std::uint32_t c) const;
  std::uint32_t chain(const Number* a, const Number* b, unsigned count, std::uint32_t c) const;
  std::uint32_t special(const Number* a, const Number* b, unsigned count, const Number& c) const;
  void record(const Number* a, const Number* b, unsigned count, unsigned first_k, std::uint32_t c,
              std::uint32_t result, std::vector<StepTrace>& trace) const;
  StepTrace record_twice(std::vector<StepTrace::Addend> products, const Number& c,
                         std::vector<StepTrace>& trace) const;

  const SumRule rule_;
};

/// `terms` aligned, cut and added by a rule, C among them.
std::uint32_t aligned_sum(const SumRule& rule, const Term* terms, unsigned count);
/// The exact sum of terms with exponents from -252 on, rounded once.
std::uint32_t exact_sum(const SumRule& rule, const Term* terms, unsigned count);

}  // namespace spica::numeric
