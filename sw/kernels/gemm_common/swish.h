// SPDX-License-Identifier: Apache-2.0
// How the fused kernels activate words of a matrix: with Swish.
#pragma once

#include <activation.h>
#include <float_bits.h>
#include <simt.h>

/// What a thread activates: words from(i) to to(i), i = 0 .. count - 1, the last one only if
/// `whole` (the same for all lanes of a warp). All are loaded, then loaded() is called, then all
/// are computed and stored: between the two halves they are in registers, integer ones, because the
/// exponential has constants for most of the others. to() should take what it computes with
/// simt_opaque().
template <unsigned count, unsigned i = 0, class From, class To, class Loaded>
__attribute__((always_inline)) static inline void activate(const From& from, const To& to, bool whole,
                                                           const Loaded& loaded) {
  const auto store = [&](unsigned bits) { *to(i) = swish(float_from_bits(simt_opaque(bits))); };
  if constexpr (i + 1 == count) {
    unsigned bits = 0;
    if (whole) bits = *from(i);
    loaded();
    if (whole) store(bits);
  } else {
    const unsigned bits = *from(i);
    activate<count, i + 1>(from, to, whole, loaded);
    store(bits);
  }
}
