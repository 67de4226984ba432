// SPDX-License-Identifier: Apache-2.0
// fmod(), remainder() and remquo() of float, exact. libclc's take subnormal numbers for zero.
#include "widths.h"

OVERLOAD PURE float ldexp(float x, int n);

/// A finite number without sign: mantissa * 2^exponent.
typedef struct {
  uint mantissa;
  int exponent;
} Parts;

static inline PURE Parts parts_of(uint magnitude) {
  const uint exponent = magnitude >> 23, fraction = magnitude & 0x7FFFFF;
  const Parts parts = {exponent == 0 ? fraction : fraction | 0x800000, (int)(exponent == 0 ? 1 : exponent) - 150};
  return parts;
}

/// x = quotient * y + rest, in units of 2^exponent, for x with at least half the exponent of y.
typedef struct {
  uint quotient;  // modulo 2^32
  uint rest, divisor;
  int exponent;
} Division;

static inline PURE Division divided(Parts x, Parts y) {
  int ahead = x.exponent - y.exponent;
  Division result = {0, x.mantissa, y.mantissa, y.exponent};
  if (ahead < 0) {  // y is larger by one exponent
    result.divisor <<= 1;
    result.exponent = x.exponent;
    ahead = 0;
  }
  result.quotient = result.rest / result.divisor;
  result.rest %= result.divisor;
  while (ahead > 0) {
    const int step = ahead < 8 ? ahead : 8;
    const uint shifted = result.rest << step;  // below 2^32
    result.quotient = (result.quotient << step) + shifted / result.divisor;
    result.rest = shifted % result.divisor;
    ahead -= step;
  }
  return result;
}

static inline PURE bool is_undefined(uint x, uint y) { return x >= 0x7F800000 || y > 0x7F800000 || y == 0; }
static inline PURE float with_sign(float magnitude, uint sign) { return as_float(as_uint(magnitude) ^ (sign & 0x80000000)); }

static inline PURE float modulus(float a, float b) {
  const uint x = as_uint(a) & 0x7FFFFFFF, y = as_uint(b) & 0x7FFFFFFF;
  if (is_undefined(x, y)) return as_float(0x7FC00000);
  if (x < y) return a;
  const Division division = divided(parts_of(x), parts_of(y));
  return with_sign(ldexp((float)division.rest, division.exponent), as_uint(a));
}

/// Also the quotient, rounded to nearest, its lowest seven bits with its sign.
static inline float nearest_remainder(float a, float b, int* quotient) {
  const uint x = as_uint(a) & 0x7FFFFFFF, y = as_uint(b) & 0x7FFFFFFF;
  *quotient = 0;
  if (is_undefined(x, y)) return as_float(0x7FC00000);
  const Parts first = parts_of(x), second = parts_of(y);
  if (y == 0x7F800000 || first.exponent + 1 < second.exponent) return a;
  Division division = divided(first, second);
  const uint twice = 2 * division.rest;
  const bool is_up = twice > division.divisor || (twice == division.divisor && (division.quotient & 1) != 0);
  if (is_up) {
    division.rest = division.divisor - division.rest;
    ++division.quotient;
  }
  const int low = division.quotient & 0x7F;
  *quotient = ((as_uint(a) ^ as_uint(b)) & 0x80000000) != 0 ? -low : low;
  return with_sign(ldexp((float)division.rest, division.exponent), is_up ? ~as_uint(a) : as_uint(a));
}
static inline PURE float only_remainder(float a, float b) {
  int ignored;
  return nearest_remainder(a, b, &ignored);
}

AS_2(modulus, fmod) AS_2(only_remainder, remainder)

#define REMQUO(space)                                                      \
  OVERLOAD float remquo(float x, float y, space int* quotient) {           \
    int found;                                                             \
    const float rest = nearest_remainder(x, y, &found);                    \
    *quotient = found;                                                     \
    return rest;                                                           \
  }                                                                        \
  REMQUO_OF(space, 2) REMQUO_OF(space, 3) REMQUO_OF(space, 4) REMQUO_OF(space, 8) REMQUO_OF(space, 16)
#define REMQUO_OF(space, width)                                                               \
  OVERLOAD float##width remquo(float##width x, float##width y, space int##width* quotient) {  \
    float##width rest;                                                                        \
    int##width all;                                                                           \
    for (int i = 0; i < width; ++i) {                                                         \
      int found;                                                                              \
      rest[i] = nearest_remainder(x[i], y[i], &found);                                        \
      all[i] = found;                                                                         \
    }                                                                                         \
    *quotient = all;                                                                          \
    return rest;                                                                              \
  }
REMQUO(__global) REMQUO(__local) REMQUO(__private)
