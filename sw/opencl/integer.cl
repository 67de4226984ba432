// SPDX-License-Identifier: Apache-2.0
// Functions on integers that libclc has not, or has not in all widths.
#include "machine.h"

static inline PURE uchar zeros_8(uchar x) { return x == 0 ? 8 : __builtin_ctz(x | 0x100); }
static inline PURE ushort zeros_16(ushort x) { return __builtin_ctz(x | 0x10000); }
static inline PURE uint zeros_32(uint x) { return x == 0 ? 32 : __builtin_ctz(x); }
static inline PURE ulong zeros_64(ulong x) { return x == 0 ? 64 : __builtin_ctzl(x); }

#define CTZ_VECTOR(type, of_one, unsigned_type, width)                            \
  OVERLOAD PURE type##width ctz(type##width x) {                                  \
    type##width result;                                                           \
    for (int i = 0; i < width; ++i) result[i] = of_one((unsigned_type)x[i]);      \
    return result;                                                                \
  }
#define CTZ(type, of_one, unsigned_type)                                   \
  OVERLOAD PURE type ctz(type x) { return of_one((unsigned_type)x); }      \
  CTZ_VECTOR(type, of_one, unsigned_type, 2)                               \
  CTZ_VECTOR(type, of_one, unsigned_type, 3)                               \
  CTZ_VECTOR(type, of_one, unsigned_type, 4)                               \
  CTZ_VECTOR(type, of_one, unsigned_type, 8)                               \
  CTZ_VECTOR(type, of_one, unsigned_type, 16)
CTZ(char, zeros_8, uchar)
CTZ(uchar, zeros_8, uchar)
CTZ(short, zeros_16, ushort)
CTZ(ushort, zeros_16, ushort)
CTZ(int, zeros_32, uint)
CTZ(uint, zeros_32, uint)
CTZ(long, zeros_64, ulong)
CTZ(ulong, zeros_64, ulong)

#define MAD_HI_OF(type)                                                                    \
  OVERLOAD PURE type mul_hi(type a, type b);                                               \
  OVERLOAD PURE type mad_hi(type a, type b, type c) { return mul_hi(a, b) + c; }
#define MAD_HI(type) \
  MAD_HI_OF(type) MAD_HI_OF(type##2) MAD_HI_OF(type##3) MAD_HI_OF(type##4) MAD_HI_OF(type##8) MAD_HI_OF(type##16)
MAD_HI(char) MAD_HI(uchar) MAD_HI(short) MAD_HI(ushort) MAD_HI(int) MAD_HI(uint) MAD_HI(long) MAD_HI(ulong)

// libclc's saturate to the wrong side of 0 - least, and mad_sat() of long takes some products that fit for overflows.
#define SUB_SAT(type, unsigned_type, bits)                                                      \
  OVERLOAD PURE type sub_sat(type x, type y) {                                                  \
    const type difference = (type)((unsigned_type)x - (unsigned_type)y);                        \
    const type limit = (type)(((unsigned_type)x >> (bits - 1)) + (~(unsigned_type)0 >> 1));     \
    return ((x ^ y) & (x ^ difference)) < 0 ? limit : difference;                               \
  }
SUB_SAT(int, uint, 32)
SUB_SAT(long, ulong, 64)
OVERLOAD PURE long mad_sat(long x, long y, long z) {
  const ulong low = (ulong)x * (ulong)y, sum = low + (ulong)z;
  const long high = mul_hi(x, y) + (z >> 63) + (sum < low);  // of 128 bits, which hold every result
  const long limit = (long)((ulong)(high < 0) + (~(ulong)0 >> 1));
  return high == (long)sum >> 63 ? (long)sum : limit;
}
#define EACH_2(function, type, width)                                                           \
  OVERLOAD PURE type##width function(type##width x, type##width y) {                            \
    type##width result;                                                                         \
    for (int i = 0; i < width; ++i) result[i] = function(x[i], y[i]);                           \
    return result;                                                                              \
  }
#define EACH_3(function, type, width)                                                           \
  OVERLOAD PURE type##width function(type##width x, type##width y, type##width z) {             \
    type##width result;                                                                         \
    for (int i = 0; i < width; ++i) result[i] = function(x[i], y[i], z[i]);                     \
    return result;                                                                              \
  }
#define ALL_WIDTHS(macro, function, type)                                                       \
  macro(function, type, 2) macro(function, type, 3) macro(function, type, 4) macro(function, type, 8) macro(function, type, 16)
ALL_WIDTHS(EACH_2, sub_sat, int) ALL_WIDTHS(EACH_2, sub_sat, long) ALL_WIDTHS(EACH_3, mad_sat, long)
