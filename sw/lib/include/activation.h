/* SPDX-License-Identifier: Apache-2.0
 *
 * Activation functions, inlined where they are used. No branches, so lanes with different
 * arguments may compute them together. Errors are measured in testbenches/unit/sw. */
#pragma once

#include "exponential.h"

/* x / (1 + exp(-x)), within 4 units of 2^-24 of the value: exponential 2, sum 1, quotient 1. Where
 * exp(-x) overflows, below -88.7, -0 instead of -3e-37 and less. */
SIMT_INLINE float swish(float x) { return x / (1.0f + exponential_exact(-x)); }

/* The larger of x and 0; of NaN 0. */
SIMT_INLINE float relu(float x) { return fmaxf(x, 0.0f); }

/* x / (1 + exp(-1.702 x)), the approximation of GELU by a sigmoid (hendrycks 2). As swish, and the rounding of 1.702 x,
 * which moves the result by no more than 0.52 * 2^-24. */
SIMT_INLINE float gelu(float x) { return x / (1.0f + exponential_exact(-1.702f * x)); }
