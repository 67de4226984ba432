// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::base {
enum class HostCode : unsigned char;  // host_dispatch.h
}

namespace spica::numeric {

/// How a tensor core adds the products of one step to the accumulator. Products of FP16, BF16 and TF32 numbers are
/// exact; subnormals are not flushed. Sources: mma-sim functions.py (fused_sum), nv.py; fasi2021 sections 3 and 4.
struct SumRule {
  /// Products and accumulator are aligned to the largest exponent, truncated to this number of fraction bits and
  /// added. 0: a tree of FP32 additions, each rounded to nearest even, with the accumulator last.
  std::uint8_t fraction_bits;
  static constexpr unsigned kMostBits =
      25;  // the most with which eight products and the accumulator fit into 32 bits

  static const SumRule kTruncated23;  // Volta
  static const SumRule kTruncated24;  // Turing, Ampere
  static const SumRule kTree;
  constexpr bool is_tree() const { return fraction_bits == 0; }
  constexpr bool operator==(const SumRule& other) const { return fraction_bits == other.fraction_bits; }
  constexpr bool operator<(const SumRule& other) const { return fraction_bits < other.fraction_bits; }
};
inline constexpr SumRule SumRule::kTruncated23{23}, SumRule::kTruncated24{24}, SumRule::kTree{0};

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

/// C += A * B, for matrices A (rows x terms), B (terms x 8 * vectors) and C (rows x 8 * vectors).
struct FusedDot {
  Parts a, b;
  bool finite;  // all of A and B are finite, with exponents in the range of FP16 (fused_parts.h)
  std::uint32_t* c;  // FP32, or FP16 in the low half of each word
  std::uint32_t c_stride;
  std::uint32_t rows, vectors, terms;
  std::uint32_t at_once;  // products per step, at most 8; a divisor of `terms`
};

/// FP32: a truncated sum is truncated again when it becomes FP32; NaN results are 0x7FFFFFFF (`kTree`: 0x7FC00000).
/// FP16: sums are rounded to nearest even; NaN results are 0x7FFF (`kTree`: 0x7E00).
enum class Accumulator : std::uint8_t { kFp32, kFp16 };

void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDot& dot);
/// As above, with the code of a given host.
void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDot& dot, base::HostCode code);

/// The same for one vector of C with a truncating rule, slowly: for the cases that the quick code does not handle,
/// including infinities and NaN.
void add_fused_dot_slowly(SumRule rule, Accumulator accumulator, const FusedDot& dot, std::uint32_t row,
                          std::uint32_t column);

}  // namespace spica::numeric
