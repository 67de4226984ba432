// SPDX-License-Identifier: Apache-2.0
// What compilers call in sw/lib: double, 64-bit division, conversions, counts of bits, powers, complex numbers. Each
// word of the results is made of kRounds operations on numbers of each lane's own. No branch, so that -DWITHOUT_PLUGIN
// can be compiled without the plugin, for lanes that must not part.
#include "harness.h"

using u64 = unsigned long long;
using i64 = long long;
constexpr unsigned kRounds = 48;

static u64 bits(unsigned seed) { return u64(scramble(seed)) << 32 | scramble(seed + 0x5000); }
static double number(u64 all) {
  double x;
  __builtin_memcpy(&x, &all, sizeof x);
  return x;
}
/// So that no compiler makes a branch of it.
static unsigned hidden(unsigned x) {
  __asm__("" : "+r"(x));
  return x;
}
/// Exponents that are near one another or at an end of the range, in turn; fractions of few bits.
static double operand(unsigned id, unsigned round, unsigned which) {
  const unsigned seed = (id * kRounds + round) * 4, kind = (id + round) % 6;
  const u64 random = bits(seed + which), common = bits(seed + 3);
  const unsigned near = (unsigned(common >> 20) + unsigned(random >> 44) % 70) & 0x7FF;
  const unsigned exponents[6] = {unsigned(random >> 52) & 0x7FF,
                                 near,
                                 near,
                                 unsigned(random >> 52) & 3,
                                 0x7FC + (unsigned(random >> 52) & 3),
                                 1023 + (unsigned(random >> 52) & 63)};
  const u64 fractions[6] = {random,
                            random,
                            common + (random >> 62),
                            random,
                            random & 0x8000000000000ull,
                            random & 0xFFF0000000000ull};
  return number((random & 1ull << 63) | u64(exponents[kind]) << 52 | (fractions[kind] & 0xFFFFFFFFFFFFFull));
}
static u64 integer(unsigned id, unsigned round, unsigned which) {
  const u64 random = bits((id * kRounds + round) * 4 + which);
  const unsigned shift = scramble(id + round * 77 + which), upper = shift & 31,
                 lower = shift >> 5 & shift >> 10 & 31;
  return u64(unsigned(random >> 32) >> upper & hidden(0 - (shift >> 31))) << 32 | unsigned(random) >> lower;
}

/// Mixes a value into a word; all that is not a number is one value.
static void mix(unsigned& word, u64 value) {
  word = (word ^ unsigned(value) ^ unsigned(value >> 32) * 31) * 2654435761u + (word >> 19);
}
static void mix(unsigned& word, double x) {
  u64 all;
  __builtin_memcpy(&all, &x, sizeof all);
  const unsigned word_of_nan = hidden(0 - unsigned(x != x));
  const u64 nan = u64(word_of_nan) << 32 | word_of_nan;
  mix(word, (all & ~nan) | (0x7FF8000000000000ull & nan));
}
static void mix(unsigned& word, float x) {
  unsigned all;
  __builtin_memcpy(&all, &x, sizeof all);
  const unsigned nan = hidden(0 - unsigned(x != x));
  mix(word, u64((all & ~nan) | (0x7FC00000u & nan)));
}

static void doubles(unsigned id, unsigned round, unsigned* out) {
  const double a = operand(id, round, 0), b = operand(id, round, 1);
  mix(out[0], a + b);
  mix(out[1], a - b);
  mix(out[2], a * b);
  mix(out[3], a / b);
  mix(out[4], u64((a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 |
                  __builtin_isunordered(a, b) << 6));
  mix(out[5], float(a));
  const float narrow = float(a);
  mix(out[6], double(narrow) + b);
  mix(out[7], -a);
}

static void conversions(unsigned id, unsigned round, unsigned* out) {
  const u64 n = integer(id, round, 0);
  mix(out[0], double(n));
  mix(out[1], double(i64(n)));
  mix(out[2], double(unsigned(n)) - double(int(n >> 3)));
  mix(out[3], float(n));
  mix(out[4], float(i64(n)));
  const double x = double(i64(n >> 1)) * 0.37, small = double(int(n)) * 0.37;
  mix(out[5], u64(x));
  mix(out[6], u64(i64(-x)));
  mix(out[7], u64(int(small)) ^ unsigned(x / 4294967296.0));
  mix(out[8], u64(float(x)));
  mix(out[9], u64(i64(float(-x))));
}

static void integers(unsigned id, unsigned round, unsigned* out) {
  const u64 n = integer(id, round, 0), d = integer(id, round, 1) | 1;
  const i64 m = i64(n ^ bits(id)), e = i64(d << 1 | 1);
  mix(out[0], n / d);
  mix(out[1], n % d);
  mix(out[2], u64(m / e));
  mix(out[3], u64(m % e));
  mix(out[4], n / (d >> 32 | 1));
  mix(out[5], n * d);
#if !defined(WITHOUT_PLUGIN)  // clang makes branches of these
  mix(out[6], u64(__builtin_clzll(d) + 64 * __builtin_popcountll(n) + 4096 * __builtin_parityll(n)));
  mix(out[7], u64(__builtin_ctzll(n | 1ull << 40)) ^ __builtin_bswap64(n));
#endif
}

static void powers(unsigned id, unsigned round, unsigned* out) {
  const double x = 1 + double(scramble(id + round)) / 4294967296.0;
  const int n = int(scramble(round * 3 + id) & 31) - 16;
  mix(out[0], __builtin_powi(x, n));
  mix(out[1], __builtin_powif(float(x), n));
}

/// Small whole numbers, so that no sum is rounded, and powers of two to divide by.
static void complexes(unsigned id, unsigned round, unsigned* out) {
  const unsigned random = scramble(id * kRounds + round);
  const double a = int(random & 255) - 128, b = int(random >> 8 & 255) - 128, c = 1u << (random >> 16 & 7);
  const double sign = (random >> 20 & 1) * 2.0 - 1;
  _Complex double x, y;
  __real__ x = a;
  __imag__ x = b;
  __real__ y = c;
  __imag__ y = c * sign;
  const _Complex double product = x * y, quotient = x / y;
  mix(out[0], __real__ product + 3 * __imag__ product);
  mix(out[1], __real__ quotient + 1024 * __imag__ quotient);
  _Complex float u, v;
  __real__ u = float(b);
  __imag__ u = float(a);
  __real__ v = float(c * sign);
  __imag__ v = float(c);
  const _Complex float narrow_product = u * v, narrow_quotient = u / v;
  mix(out[2], __real__ narrow_product + 3 * __imag__ narrow_product);
  mix(out[3], __real__ narrow_quotient + 1024 * __imag__ narrow_quotient);
}

static void program(unsigned id, unsigned* out) {
  unsigned words[32] = {};
  for (unsigned round = 0; round < kRounds; ++round) {
    doubles(id, round, words);
    conversions(id, round, words + 8);
    integers(id, round, words + 18);
    powers(id, round, words + 26);
    complexes(id, round, words + 28);
  }
  for (unsigned i = 0; i < 32; ++i) out[i] = words[i];
}
PROGRAM_MAIN(32, program)
