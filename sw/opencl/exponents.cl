// SPDX-License-Identifier: Apache-2.0
// ldexp(). libclc's takes subnormal numbers of float for zero, and infinities of double for numbers.
#include "machine.h"

OVERLOAD PURE int min(int a, int b);
OVERLOAD PURE int max(int a, int b);

// Three steps reach all exponents; only the last one rounds.
static inline PURE float power_of_2f(int n) { return as_float((127 + n) << 23); }
OVERLOAD PURE float ldexp(float x, int n) {
  const bool is_large = n > 127, is_small = n < -102;
  const float step = is_large ? 0x1p127f : is_small ? 0x1p-102f : 1.0f;
  n = min(max(n, -500), 500) - (is_large ? 127 : is_small ? -102 : 0);
  const bool is_larger = n > 127, is_smaller = n < -102;
  const float second = is_larger ? 0x1p127f : is_smaller ? 0x1p-102f : 1.0f;
  n -= is_larger ? 127 : is_smaller ? -102 : 0;
  return x * step * second * power_of_2f(min(max(n, -126), 127));
}
static inline PURE double power_of_2(int n) { return as_double((long)(1023 + n) << 52); }
OVERLOAD PURE double ldexp(double x, int n) {
  const bool is_large = n > 1023, is_small = n < -969;
  const double step = is_large ? 0x1p1023 : is_small ? 0x1p-969 : 1.0;
  const int less = is_large ? 1023 : is_small ? -969 : 0;
  n = min(max(n, -4000), 4000) - less;
  const bool is_larger = n > 1023, is_smaller = n < -969;
  const double second = is_larger ? 0x1p1023 : is_smaller ? 0x1p-969 : 1.0;
  n -= is_larger ? 1023 : is_smaller ? -969 : 0;
  return x * step * second * power_of_2(min(max(n, -1022), 1023));
}

#define LDEXP(kind, width)                                                          \
  OVERLOAD PURE kind##width ldexp(kind##width x, int##width n) {                    \
    kind##width result;                                                             \
    for (int i = 0; i < width; ++i) result[i] = ldexp(x[i], n[i]);                  \
    return result;                                                                  \
  }                                                                                 \
  OVERLOAD PURE kind##width ldexp(kind##width x, int n) { return ldexp(x, (int##width)(n)); }
LDEXP(float, 2) LDEXP(float, 3) LDEXP(float, 4) LDEXP(float, 8) LDEXP(float, 16)
LDEXP(double, 2) LDEXP(double, 3) LDEXP(double, 4) LDEXP(double, 8) LDEXP(double, 16)
