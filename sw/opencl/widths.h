// SPDX-License-Identifier: Apache-2.0
// Functions of vectors from those of one float.
#pragma once

#include "machine.h"

#define VECTORS(function, name, width)                          \
  OVERLOAD PURE float##width name(float##width x) {             \
    float##width result;                                        \
    for (int i = 0; i < width; ++i) result[i] = function(x[i]); \
    return result;                                              \
  }
#define VECTORS_2(function, name, width)                              \
  OVERLOAD PURE float##width name(float##width x, float##width y) {   \
    float##width result;                                              \
    for (int i = 0; i < width; ++i) result[i] = function(x[i], y[i]); \
    return result;                                                    \
  }
#define ALL_WIDTHS(macro, function, name)                                                             \
  macro(function, name, 2) macro(function, name, 3) macro(function, name, 4) macro(function, name, 8) \
      macro(function, name, 16)

#define AS(function, name)                                  \
  OVERLOAD PURE float name(float x) { return function(x); } \
  ALL_WIDTHS(VECTORS, function, name)
#define AS_2(function, name)                                            \
  OVERLOAD PURE float name(float x, float y) { return function(x, y); } \
  ALL_WIDTHS(VECTORS_2, function, name)
