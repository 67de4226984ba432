// SPDX-License-Identifier: Apache-2.0
// No branches: special cases are selected with masks, see math.h.
#include <math.h>

#include <stdint.h>

#include "exponential.h"
#include "float_bits.h"
#include "inlined_math.h"

extern "C" {

float expf(float x) { return exponential_exact(x); }

float logf(float x) { return inlined::log(x); }

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
