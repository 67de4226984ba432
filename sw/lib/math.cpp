// SPDX-License-Identifier: Apache-2.0
// No branches: special cases are selected with masks, see math.h.
#include <math.h>

#include <stdint.h>

#include "exponential.h"
#include "float_bits.h"

extern "C" {

float expf(float x) { return exponential_exact(x); }

// log(x) = e ln 2 + log(m), m in [sqrt(1/2), sqrt(2)): with s = f / (2 + f), f = m - 1,
// log(m) = f - s (f - s^2 R(s^2)) arranged so that the small terms are added last.
float logf(float x) {
  const uint32_t tiny = float_mask(x < 1.17549435e-38f);
  const float normal = float_select(tiny, x * 16777216.0f, x);
  const uint32_t bits = float_to_bits(normal);
  const uint32_t above = bits - 0x3F3504F3u;  // sqrt(1/2): e is the exponent relative to it
  const int32_t e = (static_cast<int32_t>(above) >> 23) - static_cast<int32_t>(tiny & 24u);
  const float f = float_from_bits((above & 0x007FFFFFu) + 0x3F3504F3u) - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float odd = z * fmaf(z * z, 0.28498787f, 0.66666663f);
  const float even = z * z * fmaf(z * z, 0.24279079f, 0.40000972f);
  const float half_square = 0.5f * f * f;
  const float whole = static_cast<float>(e);
  float result = fmaf(s, half_square + odd + even, whole * 9.0580006e-6f) - half_square + f;
  result = fmaf(whole, 0.69313812f, result);
  result = float_select(float_mask(x == 0.0f), -INFINITY, result);
  result = float_select(float_mask(x == INFINITY), x, result);
  return float_select(float_mask((x < 0.0f) | (x != x)), NAN, result);
}

// Numbers from 2^23 on, infinity and NaN are as they should be.
#ifdef __riscv
#define WHOLE(name, mode)                                                                               \
  float name(float x) {                                                                                 \
    int32_t whole;                                                                                      \
    __asm__("fcvt.w.s %0, %1, " mode : "=r"(whole) : "f"(x));                                           \
    return float_select(float_mask(fabsf(x) < 8388608.0f), copysignf(static_cast<float>(whole), x), x); \
  }
#else
#define WHOLE(name, mode) \
  float name(float x) { return __builtin_##name(x); }
#endif
WHOLE(floorf, "rdn")
WHOLE(ceilf, "rup")
WHOLE(truncf, "rtz")
WHOLE(roundf, "rmm")
WHOLE(rintf, "rne")
#undef WHOLE

}  // extern "C"
