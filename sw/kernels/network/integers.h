// SPDX-License-Identifier: Apache-2.0
// Functions of single integers, in the form of functions.h. Sums and products wrap.
#pragma once

#include "sw/kernels/network/functions.h"

namespace network {

#define NETWORK_INTEGER(name, inputs, expression)                               \
  struct name {                                                                 \
    static constexpr unsigned kInputs = inputs;                                 \
    SIMT_INLINE int32_t of(int32_t x, int32_t y, int32_t, const float* limit) { \
      static_cast<void>(y);                                                     \
      static_cast<void>(limit);                                                 \
      return expression;                                                        \
    }                                                                           \
  }

SIMT_INLINE uint32_t bits_of(int32_t x) { return static_cast<uint32_t>(x); }
SIMT_INLINE int32_t wrapped(uint32_t x) { return static_cast<int32_t>(x); }
SIMT_INLINE int32_t chosen(unsigned condition, int32_t x, int32_t y) {
  return wrapped(simt_select(condition, bits_of(x), bits_of(y)));
}
/// The remainder with the sign of y.
SIMT_INLINE int32_t remainder_of(int32_t x, int32_t y) {
  const int32_t rest = x % y;
  return rest + chosen((rest != 0) & ((rest ^ y) < 0), y, 0);
}

NETWORK_INTEGER(IntegerNeg, 1, wrapped(0u - bits_of(x)));
NETWORK_INTEGER(IntegerAbs, 1, chosen(x < 0, wrapped(0u - bits_of(x)), x));
NETWORK_INTEGER(IntegerSign, 1, (x > 0) - (x < 0));
NETWORK_INTEGER(IntegerRelu, 1, chosen(x < 0, 0, x));
NETWORK_INTEGER(IntegerClip, 1,
                chosen(x < static_cast<int32_t>(limit[0]), static_cast<int32_t>(limit[0]),
                       chosen(x > static_cast<int32_t>(limit[1]), static_cast<int32_t>(limit[1]),
                              x)));  // infinite ones saturate
NETWORK_INTEGER(IntegerAdd, 2, wrapped(bits_of(x) + bits_of(y)));
NETWORK_INTEGER(IntegerSub, 2, wrapped(bits_of(x) - bits_of(y)));
NETWORK_INTEGER(IntegerMul, 2, wrapped(bits_of(x) * bits_of(y)));
NETWORK_INTEGER(IntegerDiv, 2, x / y);
NETWORK_INTEGER(IntegerMod, 2, remainder_of(x, y));
NETWORK_INTEGER(IntegerMin, 2, chosen(x < y, x, y));
NETWORK_INTEGER(IntegerMax, 2, chosen(x < y, y, x));
NETWORK_INTEGER(IntegerEqual, 2, x == y);
NETWORK_INTEGER(IntegerLess, 2, x < y);
NETWORK_INTEGER(IntegerLessOrEqual, 2, x <= y);
NETWORK_INTEGER(IntegerGreater, 2, x > y);
NETWORK_INTEGER(IntegerGreaterOrEqual, 2, x >= y);

/// x to the power of y.
struct IntegerPow {
  static constexpr unsigned kInputs = 2;
  SIMT_INLINE int32_t of(int32_t x, int32_t y, int32_t, const float*) {
    uint32_t power = 1, square = bits_of(x);
    for (unsigned bit = 0; bit < 31; ++bit, square *= square)
      power *= simt_select((bits_of(y) >> bit) & 1, square, 1);
    // A negative exponent: 1 / x^-y.
    const int32_t odd = chosen(y & 1, -1, 1);
    return chosen(y < 0, chosen(x == 1, 1, chosen(x == -1, odd, 0)), wrapped(power));
  }
};

// name, function, format of the result
#define NETWORK_INTEGER_KERNELS(X)            \
  X(neg, IntegerNeg, Integer);                \
  X(abs, IntegerAbs, Integer);                \
  X(sign, IntegerSign, Integer);              \
  X(relu, IntegerRelu, Integer);              \
  X(clip, IntegerClip, Integer);              \
  X(add, IntegerAdd, Integer);                \
  X(sub, IntegerSub, Integer);                \
  X(mul, IntegerMul, Integer);                \
  X(div, IntegerDiv, Integer);                \
  X(mod, IntegerMod, Integer);                \
  X(min, IntegerMin, Integer);                \
  X(max, IntegerMax, Integer);                \
  X(pow, IntegerPow, Integer);                \
  X(equal, IntegerEqual, Bool);               \
  X(less, IntegerLess, Bool);                 \
  X(less_or_equal, IntegerLessOrEqual, Bool); \
  X(greater, IntegerGreater, Bool);           \
  X(greater_or_equal, IntegerGreaterOrEqual, Bool)

}  // namespace network
