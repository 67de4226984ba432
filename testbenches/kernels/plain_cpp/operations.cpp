// SPDX-License-Identifier: Apache-2.0
// Each operation that a RISC-V compiler makes a branch of, with operands that differ by lane. All of them must come out
// as on the host.
#include "harness.h"

using u64 = unsigned long long;
using i64 = long long;

static const unsigned kEdges[] = {0,    1,    2,      31,     32,         33,         0x7F,
                                  0x80, 0xFF, 0x7FFF, 0x8000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
static NOINLINE unsigned word(unsigned id, unsigned which) {
  const unsigned x = scramble(id * 8 + which);
  return x % 3 == 0 ? kEdges[x / 3 % (sizeof kEdges / sizeof *kEdges)] : x % 3 == 1 ? x : x >> (x & 31);
}
static u64 wide(unsigned id, unsigned which) { return u64(word(id, which)) << 32 | word(id, which + 1); }
static float number(unsigned id, unsigned which) {
  const unsigned x = scramble(id * 4 + which);
  if (x % 9 == 0) return __builtin_nanf("");
  if (x % 9 == 1) return (x & 16) != 0 ? -0.0f : 0.0f;
  if (x % 9 == 2) return (x & 16) != 0 ? -1e30f : 3e9f;
  return float(int(x >> 8) - (1 << 23)) / 4096.0f;
}
static unsigned code(float x) {  // all that is no number is one number
  unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return x != x ? 0x7FC00000 : bits;
}
static unsigned fold(u64 x) { return unsigned(x) * 31 + unsigned(x >> 32); }

template <class T>
static unsigned relations(T a, T b) {
  return (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a < T(5)) << 5 |
         (a >= T(100)) << 6;
}
template <class T>
static T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
static T larger(T a, T b) {
  return a < b ? b : a;
}

static void integers(unsigned id, unsigned*& out) {
  const unsigned a = word(id, 0), b = word(id, 1), n = word(id, 2) & 31;
  *out++ = smaller(a, b) + 3 * larger(a, b) + 5 * unsigned(smaller(int(a), int(b))) +
           7 * unsigned(larger(int(a), int(b)));
  *out++ = (a & 4) != 0 ? b : n;
  *out++ = (a > b && b > 7) || a % 5 == 0 ? 11 : 22;
  *out++ = unsigned(int(a) < 0 ? -int(a) : int(a));
  *out++ =
      (a == 0 ? 32 : __builtin_clz(a)) + 64 * (b == 0 ? 32 : __builtin_ctz(b)) + 4096 * __builtin_popcount(a);
  *out++ = __builtin_ffs(int(a));
  *out++ = a << n | (n != 0 ? a >> (32 - n) : 0);
  *out++ = *((a & 1) != 0 ? &table[b & 63] : &kEdges[b % 14]);
  unsigned sum;
  int signed_sum;
  *out++ = __builtin_add_overflow(a, b, &sum) ? ~0u : sum;
  *out++ = __builtin_sub_overflow(a, b, &sum) ? 0u : sum;
  *out++ = __builtin_mul_overflow(a, b, &sum) ? 1u : sum;
  *out++ = __builtin_sadd_overflow(int(a), int(b), &signed_sum) ? 17u : unsigned(signed_sum);
  *out++ = __builtin_smul_overflow(int(a), int(b), &signed_sum) ? 19u : unsigned(signed_sum);
}

static void narrow(unsigned id, unsigned*& out) {
  const auto a = uint8_t(word(id, 0)), b = uint8_t(word(id, 1));
  const auto c = int16_t(word(id, 2)), d = int16_t(word(id, 3));
  *out++ = unsigned(uint8_t(a > b ? a : b + 1)) + 256 * unsigned(uint16_t(c < d ? c : d - 1));
  *out++ = unsigned(smaller(a, b)) + unsigned(larger(c, d));
  *out++ = relations(a, b) + 256 * relations(c, d);
  unsigned char sum;
  *out++ = __builtin_add_overflow(a, b, &sum) ? 255 : sum;
}

static void wide_integers(unsigned id, unsigned*& out) {
  const u64 a = wide(id, 0), b = (id & 3) == 0 ? wide(id, 0) + (id & 4) : wide(id, 2);
  const unsigned n = word(id, 4) & 63;
  *out++ = relations(a, b) + 256 * relations(i64(a), i64(b));
  *out++ = fold(a << n) ^ fold(a >> n) * 3 ^ fold(u64(i64(a) >> n)) * 5;
  *out++ = fold(a << n | (n != 0 ? a >> (64 - n) : 0));
  *out++ = fold(n != 0 ? a << n | b >> (64 - n) : a);
  *out++ = fold(smaller(a, b)) + 3 * fold(larger(i64(a), i64(b)));
  *out++ = fold((a & 1) != 0 ? a : b * 3);
  *out++ = fold(u64(i64(a) < 0 ? -a : a));
  *out++ = (a == 0 ? 64 : __builtin_clzll(a)) + 128 * (b == 0 ? 64 : __builtin_ctzll(b)) +
           16384 * __builtin_popcountll(a);
  u64 sum;
  i64 signed_sum;
  *out++ = fold(__builtin_add_overflow(a, b, &sum) ? 7 : sum);
  *out++ = fold(__builtin_sub_overflow(a, b, &sum) ? 9 : sum);
  *out++ = fold(__builtin_saddll_overflow(i64(a), i64(b), &signed_sum) ? 11 : u64(signed_sum));
  *out++ = fold(__builtin_ssubll_overflow(i64(a), i64(b), &signed_sum) ? 13 : u64(signed_sum));
  *out++ = fold(a * b) + fold(a / (b | 1)) + fold(a % (b | 1)) + fold(u64(i64(a >> 1) / i64(b >> 3 | 1)));
}

static void saturating(unsigned id, unsigned*& out) {
  const unsigned a = word(id, 0), b = word(id, 1);
  const u64 c = wide(id, 0), d = wide(id, 2);
  *out++ = a + b < a ? ~0u : a + b;
  *out++ = a > b ? a - b : 0;
  *out++ = fold(c + d < c ? ~0ull : c + d) + fold(c > d ? c - d : 0);
#if __has_builtin(__builtin_elementwise_add_sat)
  *out++ = unsigned(__builtin_elementwise_add_sat(int(a), int(b))) ^
           unsigned(__builtin_elementwise_sub_sat(int(a), int(b))) * 3;
  *out++ = fold(u64(__builtin_elementwise_add_sat(i64(c), i64(d)))) ^
           fold(u64(__builtin_elementwise_sub_sat(i64(c), i64(d)))) * 3;
  *out++ = __builtin_elementwise_add_sat(uint8_t(a), uint8_t(b)) +
           256u * uint8_t(__builtin_elementwise_sub_sat(int8_t(a), int8_t(b)));
#endif
}

static void floats(unsigned id, unsigned*& out) {
  const float a = number(id, 0), b = number(id, 1);
  *out++ = code(a < b ? a : b + 1.0f);
  *out++ = code(a > 20.0f ? 20.0f : a < 2.0f ? 2.0f : a);
  *out++ = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | __builtin_isless(a, b) << 4 |
           __builtin_isunordered(a, b) << 5;
  *out++ = code(float(a > b)) + code(float(int(a >= b) - 1)) + code(float(-int(a < b)));
  *out++ = code(__builtin_floorf(a)) ^ code(__builtin_ceilf(a)) * 3;
  *out++ = code(__builtin_truncf(a)) ^ code(__builtin_roundf(a)) * 3;
  *out++ = code(__builtin_rintf(a)) ^ code(__builtin_nearbyintf(b)) * 3;
  *out++ = code(__builtin_fabsf(a)) ^ code(__builtin_copysignf(a, b)) * 3;
  *out++ =
      __builtin_isnan(a) | __builtin_isinf(b) << 1 | __builtin_signbit(a) << 2 | __builtin_isfinite(b) << 3;
  const float c = a != a ? 0 : a;
  *out++ = unsigned(int(c > 1e9f || c < -1e9f ? 5.0f : c)) + fold(u64(i64(c > 1e9f || c < -1e9f ? 5.0f : c)));
  *out++ = code(float(i64(wide(id, 0)))) ^ code(float(wide(id, 2))) * 3;
}

static void doubles(unsigned id, unsigned*& out) {
  const double a = double(int(word(id, 0))) / 8, b = double(int(word(id, 1))) * 0.25 + 1;
  double c = a > b ? a * b : a - b;
  if (c < -1000) c = -c / 3;
  u64 bits;
  __builtin_memcpy(&bits, &c, sizeof bits);
  *out++ = fold(bits);
  *out++ = (a < b) | (a == b) << 1 | (a >= 0) << 2;
  *out++ = code(float(c)) + unsigned(int(c / 1e12)) + fold(u64(i64(a)));
  *out++ = code(float(double(word(id, 2)) + double(i64(wide(id, 0)))));
}

#if defined(__clang__)
typedef unsigned Four __attribute__((vector_size(16)));
static void vectors(unsigned id, unsigned*& out) {
  const Four a = {word(id, 0), word(id, 1), word(id, 2), word(id, 3)}, b = {id, id * 7, 100, word(id, 4)};
  const Four chosen = a > b ? a : b * 3;
  *out++ = chosen[0] ^ chosen[1] * 3 ^ chosen[2] * 5 ^ chosen[3] * 7;
  *out++ = chosen[id & 3];
}
#endif

static void atomics(unsigned id, unsigned*& out) {  // on memory of the task's own: same result in any order
  unsigned own = word(id, 0);
  unsigned expected = (id & 1) != 0 ? own : own + 1;
  *out++ = __atomic_compare_exchange_n(&own, &expected, id, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) +
           expected * 3;
  unsigned char byte = uint8_t(id);
  *out++ = __atomic_fetch_add(&byte, uint8_t(3), __ATOMIC_RELAXED) +
           __atomic_exchange_n(&byte, uint8_t(9), __ATOMIC_RELAXED) * 256u + byte * 65536u;
  *out++ = __atomic_fetch_nand(&own, 0xF0u, __ATOMIC_RELAXED) ^ own;
}

static void program(unsigned id, unsigned* out) {
  integers(id, out);
  narrow(id, out);
  wide_integers(id, out);
  saturating(id, out);
  floats(id, out);
  doubles(id, out);
#if defined(__clang__)
  vectors(id, out);
#endif
  atomics(id, out);
}
PROGRAM_MAIN(64, program)
