// SPDX-License-Identifier: Apache-2.0
// The activation of the fused kernels: Swish, x / (1 + exp(-x)), of words of a matrix.
#pragma once

#include <exponential.h>

// Within 4 units of 2^-24 of the value: exponential 2, sum 1, quotient 1. Without a branch, so lanes
// with different arguments may compute it together.
__attribute__((always_inline)) static inline float swish(float x) {
  return x / (1.0f + exponential_exact(-x));
}

// The same value, of which the compiler knows nothing before this point: keeps it from computing
// several words at once, for which there are not enough registers.
__attribute__((always_inline)) static inline unsigned in_turn(unsigned value) {
  __asm__ volatile("" : "+r"(value));
  return value;
}

/// What a thread activates: words from(i) to to(i, base), i = 0 .. count - 1, the last one only if
/// `whole` (the same for all lanes of a warp). All are loaded, then loaded() is called, then all are
/// computed and stored: between the two halves they are in registers, integer ones, because the
/// exponential has constants for most of the others.
template <unsigned count, unsigned i = 0, class From, class To, class Loaded>
__attribute__((always_inline)) static inline void activate(const From& from, const To& to, unsigned base,
                                                           bool whole, const Loaded& loaded) {
  const auto store = [&](unsigned bits) {
    *to(i, in_turn(base)) = swish(float_from_bits(in_turn(bits)));
  };
  if constexpr (i + 1 == count) {
    unsigned bits = 0;
    if (whole) bits = *from(i);
    loaded();
    if (whole) store(bits);
  } else {
    const unsigned bits = *from(i);
    activate<count, i + 1>(from, to, base, whole, loaded);
    store(bits);
  }
}
