// SPDX-License-Identifier: Apache-2.0
// What gcc calls with -ftrapv: the program ends where a result does not fit. Only for lanes that are alone or have the
// same numbers.
#include <stdint.h>
#include <stdlib.h>

#define TRAPPING(name, type, operation)    \
  type name(type a, type b) {              \
    type result;                           \
    if (operation(a, b, &result)) abort(); \
    return result;                         \
  }

extern "C" {

TRAPPING(__addvsi3, int32_t, __builtin_add_overflow)
TRAPPING(__addvdi3, int64_t, __builtin_add_overflow)
TRAPPING(__subvsi3, int32_t, __builtin_sub_overflow)
TRAPPING(__subvdi3, int64_t, __builtin_sub_overflow)
TRAPPING(__mulvsi3, int32_t, __builtin_mul_overflow)
TRAPPING(__mulvdi3, int64_t, __builtin_mul_overflow)
int32_t __negvsi2(int32_t a) { return __subvsi3(0, a); }
int64_t __negvdi2(int64_t a) { return __subvdi3(0, a); }
int32_t __absvsi2(int32_t a) { return a < 0 ? __negvsi2(a) : a; }
int64_t __absvdi2(int64_t a) { return a < 0 ? __negvdi2(a) : a; }

}  // extern "C"
