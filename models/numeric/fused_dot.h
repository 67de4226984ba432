// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/numeric/sum_rule.h"

namespace spica::base {
enum class HostCode : unsigned char;  // host_dispatch.h
}

namespace spica::numeric {

/// The numbers of a matrix, decomposed: `value`, and the exponent as the format stores it (-14 for subnormals of FP16),
/// shifted as in FP32. Rows are `stride` numbers apart.
struct Parts {
  static constexpr int kExponentShift = 23;
  static constexpr int kZero =
      -100;  // exponent of a zero, so low that a product with a zero is below all other products

  const float* value;
  const std::int32_t* exponent;
  std::uint32_t stride;
};

/// Decomposes any number of FP16 numbers. True: all are finite.
bool take_apart(const std::uint16_t* halves, std::uint32_t count, float* values, std::int32_t* exponents);
/// The same for numbers at arbitrary positions in `words`: index[i] is the position of number i, in halves. `count`
/// must be a multiple of eight.
bool take_apart(const std::uint32_t* words, const std::uint32_t* index, std::uint32_t count, float* values,
                std::int32_t* exponents);
/// Rounds any number of values to FP16, nearest, ties to even; NaN becomes 0x7E00, as in half.h.
void round_to_halves(const float* values, std::uint32_t count, std::uint16_t* halves);
/// to[i] = from[index[i]]. `count` must be a multiple of eight.
void gather(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count, std::uint32_t* to);
/// The same for 16-bit halves; each result is a word.
void gather_halves(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count,
                   std::uint32_t* to);

/// C += A * B, for matrices A (rows x terms), B (terms x 8 * vectors) and C (rows x 8 * vectors). The rule must take
/// `terms` (SumRule::takes).
struct FusedDot {
  Parts a, b;
  bool finite;  // A and B suit the quick code (fused_parts.h)
  std::uint32_t* c;  // FP32, or FP16 in the low half of each word
  std::uint32_t c_stride;
  std::uint32_t rows, vectors, terms;
};

/// The least exponent of an FP32 accumulator with which the quick code works.
inline constexpr int kLeastQuickExponent = -84;
/// The quick code has the rule: aligned toward zero, C in each step, sums that fit into 32 bits; or a tree of at most
/// eight products.
bool has_quick_code(const SumRule& rule);

void add_fused_dot(const SumRule& rule, const FusedDot& dot);
/// As above, with the code of a given host.
void add_fused_dot(const SumRule& rule, const FusedDot& dot, base::HostCode code);

/// The same for one vector of C by product_sum.h: for rules and numbers that the quick code does not handle, including
/// infinities and NaN.
void add_fused_dot_slowly(const SumRule& rule, const FusedDot& dot, std::uint32_t row, std::uint32_t column);

}  // namespace spica::numeric
