// SPDX-License-Identifier: Apache-2.0
// tgamma(), and erfc() of float. OpenCL allows 16 ulp: libclc's tgamma() is wrong by more, and its erfc() of float takes
// subnormal results for zero. Those of float are by double.
#include "widths.h"

OVERLOAD PURE double erfc(double x);
OVERLOAD PURE double exp(double x);
OVERLOAD PURE double fabs(double x);
OVERLOAD PURE double floor(double x);
OVERLOAD PURE double log(double x);
OVERLOAD PURE double pow(double x, double y);
OVERLOAD PURE double sinpi(double x);

/// Stirling's series for x from 10 on: the logarithm of gamma(x) / (sqrt(2 pi) * x^(x - 1/2) * e^-x).
static inline PURE double series(double x) {
  const double r = 1 / x, s = r * r;
  return r * (1.0 / 12 + s * (-1.0 / 360 + s * (1.0 / 1260 + s * (-1.0 / 1680 + s * (1.0 / 1188 +
         s * (-691.0 / 360360 + s * (1.0 / 156 + s * (-3617.0 / 122400))))))));
}

OVERLOAD PURE double tgamma(double x) {
  const double least = -184.5, most = 172;  // beyond, the result is below all subnormal numbers, or infinite
  if (x == 0) return 1 / x;
  if (x < 0 && floor(x) == x) return as_double(0x7FF8000000000000L);  // a pole
  if (x < least) return 2 * floor(0.5 * floor(x)) == floor(x) ? 0.0 : -0.0;
  if (x > most) return as_double(0x7FF0000000000000L);
  const bool is_reflected = x < -0.25;
  const double z = is_reflected ? -x : x;
  // gamma(z) = gamma(z + steps) / (z * (z + 1) * ...)
  const int steps = z < 10 ? 10 - (int)floor(z) : 0;
  double product = 1;
  for (int i = 0; i < steps; ++i) product *= z + i;
  const double up = z + steps, added = up - z;
  const double lost = (z - (up - added)) + (steps - added);  // by rounding of z + steps
  const double root = pow(up, 0.5 * up - 0.25);  // x^(x - 1/2) alone overflows
  const double rest = 2.50662827463100050242 * exp(-up) * exp(series(up)) * (1 + lost * (log(up) - 0.5 / up));
  if (!is_reflected) return root * rest * root / product;
  return -3.14159265358979323846 / (z * sinpi(z)) / (root * rest) * product / root;
}
#define TGAMMA(width)                                        \
  OVERLOAD PURE double##width tgamma(double##width x) {      \
    double##width result;                                    \
    for (int i = 0; i < width; ++i) result[i] = tgamma(x[i]); \
    return result;                                           \
  }
TGAMMA(2) TGAMMA(3) TGAMMA(4) TGAMMA(8) TGAMMA(16)

static inline PURE float gamma_of(float x) { return (float)tgamma((double)x); }
static inline PURE float complement_of(float x) { return (float)erfc((double)x); }

AS(gamma_of, tgamma) AS(complement_of, erfc)
