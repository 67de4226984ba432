// SPDX-License-Identifier: Apache-2.0
// The activation of the fused kernels: Swish, x / (1 + exp(-x)), of words of a matrix.
#pragma once

#include <exponential.h>

// Within 4 units of 2^-24 of the value: exponential 2, sum 1, quotient 1. Without a branch, so lanes
// with different arguments may compute it together.
__attribute__((always_inline)) static inline float swish(float x) {
  return x / (1.0f + exponential_exact(-x));
}

// The same value, from here on: keeps gcc from computing several words at once, for which there are
// not enough registers.
__attribute__((always_inline)) static inline float in_turn(float x) {
  __asm__ volatile("" : "+f"(x));
  return x;
}

/// What a thread activates: words `from(i)` to `to(i)`, i = 0 .. count - 1, the last one only if
/// `whole` (the same for all lanes of a warp). All are loaded, then `loaded()` is called, then all
/// are computed and stored: between the two halves they are in registers.
template <unsigned count, unsigned i = 0, class From, class To, class Loaded>
__attribute__((always_inline)) static inline void activate(const From& from, const To& to, bool whole,
                                                           const Loaded& loaded) {
  if constexpr (i + 1 == count) {
    float x = 0;
    if (whole) x = *from(i);
    loaded();
    if (whole) *to(i) = swish(in_turn(x));
  } else {
    const float x = *from(i);
    activate<count, i + 1>(from, to, whole, loaded);
    *to(i) = swish(in_turn(x));
  }
}
