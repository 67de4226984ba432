// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::base {
enum class HostCode : unsigned char;  // host_dispatch.h
}

namespace spica::numeric {

/// How a tensor core adds the products of one step to the accumulator. Products of FP16, BF16 and TF32 numbers are
/// exact; subnormals count. Sources: mma-sim functions.py (fused_sum), nv.py; fasi2021 sections 3 and 4.
struct SumRule {
  /// Products and accumulator are aligned to the largest exponent, cut off after this number of fraction bits, and
  ///   /// added. 0: a tree
  /// of FP32 additions, each to nearest even, the accumulator last.
  std::uint8_t fraction_bits;
  static constexpr unsigned kMostBits = 25;  // eight products and the accumulator fit into 32 bits

  static const SumRule kTruncated23;  // Volta
  static const SumRule kTruncated24;  // Turing, Ampere
  static const SumRule kTree;
  constexpr bool is_tree() const { return fraction_bits == 0; }
  constexpr bool operator==(const SumRule& other) const { return fraction_bits == other.fraction_bits; }
  constexpr bool operator<(const SumRule& other) const { return fraction_bits < other.fraction_bits; }
};
inline constexpr SumRule SumRule::kTruncated23{23}, SumRule::kTruncated24{24}, SumRule::kTree{0};

/// The numbers of a matrix, taken apart: `value`, and the exponent that the format stores (of subnormals of FP16 -14),
/// shifted as in FP32. Rows are `stride` numbers apart.
struct Parts {
  static constexpr int kExponentShift = 23;
  static constexpr int kZero =
      -100;  // exponent of a zero: the sum with any other is below those of all products

  const float* value;
  const std::int32_t* exponent;
  std::uint32_t stride;
};

/// Takes FP16 numbers apart. Any number of them. True: all are finite.
bool take_apart(const std::uint16_t* halves, std::uint32_t count, float* values, std::int32_t* exponents);
/// The same for numbers that lie anywhere in `words`: index[i] is the place of number i, in halves. `count` is a
/// multiple of eight.
bool take_apart(const std::uint32_t* words, const std::uint32_t* index, std::uint32_t count, float* values,
                std::int32_t* exponents);
/// The values of FP16 nearest to `values`, of two the even one; NaN becomes 0x7E00, as in half.h. Any number of them.
void round_to_halves(const float* values, std::uint32_t count, std::uint16_t* halves);
/// to[i] = from[index[i]]. `count` is a multiple of eight.
void gather(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count, std::uint32_t* to);
/// The same for halves of words, each of which becomes a word.
void gather_halves(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t count,
                   std::uint32_t* to);

/// C += A * B. A is rows x terms, B terms x 8 * vectors, C rows x 8 * vectors.
struct FusedDot {
  Parts a, b;
  bool finite;  // all of A and B, and no exponent is beyond those of FP16 (fused_parts.h)
  std::uint32_t* c;  // FP32, or FP16 in the low half of each word
  std::uint32_t c_stride;
  std::uint32_t rows, vectors, terms;
  std::uint32_t at_once;  // products of a step, at most 8; a divisor of `terms`
};

/// FP32: a truncated sum is cut off once more when it becomes FP32; NaN results are 0x7FFFFFFF (`kTree`: 0x7FC00000).
/// FP16: sums are rounded to nearest even; NaN results are 0x7FFF (`kTree`: 0x7E00).
enum class Accumulator : std::uint8_t { kFp32, kFp16 };

void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDot& dot);
/// As above, with the code of a given host.
void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDot& dot, base::HostCode code);

/// The same for one vector of C, of a truncating rule, slowly: what the quick code leaves over, infinities and NaN
/// among them.
void add_fused_dot_slowly(SumRule rule, Accumulator accumulator, const FusedDot& dot, std::uint32_t row,
                          std::uint32_t column);

}  // namespace spica::numeric
