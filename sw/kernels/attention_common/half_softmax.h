// SPDX-License-Identifier: Apache-2.0
// Probabilities as FP16 numbers.
#pragma once

#include <float_bits.h>

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

/// A probability as FP16. The polynomial grows again where the exponential is 0.
ATTENTION_INLINE unsigned half_of(float probability) {
#ifdef ATTENTION_POLYNOMIAL
  probability = fminf(probability, 65504.0f);
#endif
  return float_to_half_bits(probability);
}

}  // namespace attention
