// SPDX-License-Identifier: Apache-2.0
// Probabilities as FP16 numbers; with ATTENTION_BF16 as BF16 ones, in the same places, with ATTENTION_FP8_E4M3 or _E5M2
// as FP8 ones. What a matrix unit stores is FP16, or BF16 of operands of BF16 and FP8.
#pragma once

#include <built_for.h>
#include <float_bits.h>
#include <number_formats.h>

#include "sw/kernels/attention_common/online_softmax.h"

namespace attention {

/// The exponential of the softmax for four numbers, in place.
ATTENTION_INLINE void softmax_exponential_four(float* x) {
#ifdef ATTENTION_POLYNOMIAL
  float inner[4];
#pragma GCC unroll 4
  for (unsigned i = 0; i < 4; ++i) inner[i] = fmaf(x[i], 0.5f, 1.0f);
#pragma GCC unroll 4
  for (unsigned i = 0; i < 4; ++i) x[i] = fmaf(x[i], inner[i], 1.0f);
#else
  exponential_negative_four(x);
#endif
}

#ifdef ATTENTION_BF16
BUILT_FOR("attention.bf16", 1);
#endif
#if defined(ATTENTION_BF16) || defined(ATTENTION_FP8)
/// A probability as BF16, of two neighbours the even one. No NaN, no sign.
ATTENTION_INLINE unsigned half_of(float probability) {
  const unsigned bits = float_to_bits(probability);
  return (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
}
/// The number in the upper half of a word.
ATTENTION_INLINE float half_value(unsigned word) { return float_from_bits(word & 0xFFFF0000u); }
constexpr unsigned kUnseenHalf = 0xC780u;  // -65536
#else
ATTENTION_INLINE float half_value(unsigned word) { return half_bits_to_float(word); }
constexpr unsigned kUnseenHalf = 0xFBFFu;  // -65504

/// A probability as FP16. The polynomial grows again where the exponential is 0.
ATTENTION_INLINE unsigned half_of(float probability) {
#ifdef ATTENTION_POLYNOMIAL
  probability = fminf(probability, 65504.0f);
#endif
  return float_to_half_bits(probability);
}
#endif

#ifdef ATTENTION_FP8
#ifdef ATTENTION_FP8_E4M3
constexpr int kFractionBits = 3, kBias = 7;
[[maybe_unused]] constexpr float kLargest = 448;
#else
constexpr int kFractionBits = 2, kBias = 15;
[[maybe_unused]] constexpr float kLargest = 57344;
#endif
/// A probability in the format of Q, K and V. The polynomial grows again where the exponential is 0.
ATTENTION_INLINE unsigned narrow_of(float probability) {
#ifdef ATTENTION_POLYNOMIAL
  probability = fminf(probability, kLargest);
#endif
  return float_magnitude_to_narrow_bits(probability, kFractionBits, kBias);
}
#else
ATTENTION_INLINE unsigned narrow_of(float probability) { return half_of(probability); }
#endif
/// Four neighbours of FP8 in a word, the first one lowest.
ATTENTION_INLINE unsigned narrow_word(const float* x) {
  return narrow_of(x[0]) | narrow_of(x[1]) << 8 | narrow_of(x[2]) << 16 | narrow_of(x[3]) << 24;
}

}  // namespace attention
