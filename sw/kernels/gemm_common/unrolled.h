// SPDX-License-Identifier: Apache-2.0
// Loops whose counter is a constant in each iteration: fragments of tensor cores are named by constants.
#pragma once

#include <simt.h>

namespace {

template <unsigned i>
struct Number {
  static constexpr unsigned value = i;
};
/// f(Number<0>), f(Number<1>), ...
template <unsigned count, unsigned i = 0, class F>
SIMT_INLINE void unrolled(F f) {
  if constexpr (i < count) {
    f(Number<i>{});
    unrolled<count, i + 1>(f);
  }
}

}  // namespace
