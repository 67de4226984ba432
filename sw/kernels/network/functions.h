// SPDX-License-Identifier: Apache-2.0
// Functions of single elements. None has a branch, so lanes with different arguments compute them together. Errors stay
// below 4 units in the last place of FP32; what is below the smallest normal number may become 0.
//
// A function is a class with kInputs, the number of its arguments, and of(), which gets them and the scalars of the
// argument block; or of_all(), which gets several arguments at a time and a table of constants.
#pragma once

#include <exponential.h>
#include <float_bits.h>
#include <inlined_math.h>
#include <math.h>

#include "sw/kernels/network/formats.h"

namespace network {

#define NETWORK_UNROLLED _Pragma("GCC unroll 16")

/// Whether a condition holds, as a number.
SIMT_INLINE float number(unsigned condition) { return float_from_bits(float_mask(condition) & 0x3F800000u); }

/// exp(-|x|).
SIMT_INLINE float decay(float x) { return exponential_negative(-fabsf(x)); }
/// x / (1 + exp(-x)) and 1 / (1 + exp(-x)) from exp(-|x|), which cannot overflow.
SIMT_INLINE float silu_of(float x, float power) {
  return float_select(float_sign_mask(x), fmaxf(x, -104.0f) * power, x) / (1.0f + power);
}
SIMT_INLINE float sigmoid_of(float x, float power) {
  return float_select(float_sign_mask(x), power, 1.0f) / (1.0f + power);
}

/// log(1 + x) for x from 0 to 1, by 2 s + s^3 p(s^2), s = x / (2 + x); 1.9 units in the last place off at most.
SIMT_INLINE float log_above_one(float x) {
  const float s = x / (2.0f + x), square = s * s;
  float p = 0.268675476f;
  p = fmaf(p, square, 0.282339573f);
  p = fmaf(p, square, 0.400076717f);
  p = fmaf(p, square, 0.666666389f);
  return fmaf(s * square, p, s + s);
}

#define NETWORK_UNARY(name, expression)                           \
  struct name {                                                   \
    static constexpr unsigned kInputs = 1;                        \
    SIMT_INLINE float of(float x, float, float, const float* s) { \
      static_cast<void>(s);                                       \
      return expression;                                          \
    }                                                             \
  }
#define NETWORK_BINARY(name, expression)                            \
  struct name {                                                     \
    static constexpr unsigned kInputs = 2;                          \
    SIMT_INLINE float of(float x, float y, float, const float* s) { \
      static_cast<void>(s);                                         \
      return expression;                                            \
    }                                                               \
  }

struct Copy {
  static constexpr unsigned kInputs = 1;
  SIMT_INLINE float of(float x, float, float, const float*) { return x; }
};
NETWORK_UNARY(Neg, -x);
NETWORK_UNARY(Abs, fabsf(x));
NETWORK_UNARY(Sqrt, sqrtf(x));
NETWORK_UNARY(Reciprocal, 1.0f / x);
NETWORK_UNARY(Exp, exponential_exact(x));
NETWORK_UNARY(Sigmoid, sigmoid_of(x, decay(x)));
NETWORK_UNARY(Relu, fmaxf(x, 0.0f));
NETWORK_UNARY(LeakyRelu, fmaxf(x, 0.0f) + s[0] * fminf(x, 0.0f));  // s[0]: alpha
NETWORK_UNARY(HardSigmoid, fminf(fmaxf(fmaf(s[0], x, s[1]), 0.0f), 1.0f));  // alpha, beta
NETWORK_UNARY(HardSwish, x* fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) * 0.166666672f);
NETWORK_UNARY(Clip, fminf(fmaxf(x, s[0]), s[1]));  // least, most
NETWORK_UNARY(Silu, silu_of(x, decay(x)));
NETWORK_UNARY(Log, inlined::log(x));
NETWORK_UNARY(Softplus, float_select(float_mask(x < 0.0f), 0.0f, x) +
                            log_above_one(float_select(float_mask(fabsf(x) < 88.0f), decay(x), 0.0f)));
NETWORK_UNARY(Softsign, x / (1.0f + fabsf(x)));
NETWORK_UNARY(IsNan, number(x != x));
NETWORK_UNARY(Not, number(x == 0.0f));
NETWORK_BINARY(Add, x + y);
NETWORK_BINARY(Sub, x - y);
NETWORK_BINARY(Mul, x* y);
NETWORK_BINARY(Div, x / y);
NETWORK_BINARY(Min, fminf(x, y));
NETWORK_BINARY(Max, fmaxf(x, y));
NETWORK_BINARY(Pow, powf(x, y));
NETWORK_BINARY(GatedSilu, silu_of(x, decay(x)) * y);
NETWORK_BINARY(PRelu, fmaxf(x, 0.0f) + y * fminf(x, 0.0f));
NETWORK_BINARY(Equal, number(x == y));
NETWORK_BINARY(Less, number(x < y));
NETWORK_BINARY(LessOrEqual, number(x <= y));
NETWORK_BINARY(Greater, number(x > y));
NETWORK_BINARY(GreaterOrEqual, number(x >= y));
NETWORK_BINARY(And, number((x != 0.0f) & (y != 0.0f)));
NETWORK_BINARY(Or, number((x != 0.0f) | (y != 0.0f)));
NETWORK_BINARY(Xor, number((x != 0.0f) ^ (y != 0.0f)));

/// Up to 0.6 a polynomial, above 1 - 2 e / (1 + e), e = exp(-2 |x|).
struct Tanh {
  static constexpr unsigned kInputs = 1;
  SIMT_INLINE float of(float x, float, float, const float*) {
    const float size = fabsf(x), square = x * x;
    float p = -5.90586755e-3f;
    p = fmaf(p, square, 2.08053831e-2f);
    p = fmaf(p, square, -5.37866838e-2f);
    p = fmaf(p, square, 0.133319587f);
    p = fmaf(p, square, -0.333332986f);
    const float power = decay(2.0f * fminf(size, 10.0f)), large = 1.0f - 2.0f * power / (1.0f + power);
    return float_select(float_mask(size >= 0.6f), copysignf(large, x), fmaf(p * square, x, x));
  }
};
/// beta x, below 0 alpha beta (exp(x) - 1). exp(x) = 2^n exp(r): both parts have their 1 taken away.
struct Elu {
  static constexpr unsigned kInputs = 1;
  SIMT_INLINE float of(float x, float, float, const float* s) {
    constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: next to it FP32 has the integers
    const float below = fmaxf(fminf(x, 0.0f), -87.0f);
    const float shifted = fmaf(below, 1.44269504f, kMagic), whole = shifted - kMagic;
    const float r = fmaf(whole, -1.42860677e-6f, fmaf(whole, -0.693145752f, below));
    float p = 1.9841270e-4f;
    p = fmaf(p, r, 1.3888889e-3f);
    p = fmaf(p, r, 8.3333333e-3f);
    p = fmaf(p, r, 4.1666668e-2f);
    p = fmaf(p, r, 1.6666667e-1f);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p, r * r, r);  // exp(r) - 1
    const float power = float_from_bits((float_to_bits(shifted) << 23) + 0x3F800000u);
    return s[1] * fmaf(s[0], fmaf(p, power, power - 1.0f), fmaxf(x, 0.0f));
  }
};
/// x tanh(log(1 + exp(x))) = x n / (n + 2), n = e^2 + 2 e, e = exp(x); above 0 both divided by e^2.
struct Mish {
  static constexpr unsigned kInputs = 1;
  SIMT_INLINE float of(float x, float, float, const float*) {
    const float power = decay(x), below = power * (power + 2.0f), above = fmaf(2.0f, power, 1.0f);
    const uint32_t is_below = float_sign_mask(x);
    return fmaxf(x, -104.0f) * (float_select(is_below, below, above) /
                                float_select(is_below, below + 2.0f, fmaf(2.0f * power, power, above)));
  }
};

/// x, y where the condition does not hold.
struct Where {
  static constexpr unsigned kInputs = 3;
  SIMT_INLINE float of(float condition, float x, float y, const float*) {
    return float_select(float_mask(condition != 0.0f), x, y);
  }
};

/// Integers q for numbers x = (q - zero) * scale: round(x / scale) + zero, and back.
struct Quantize {
  static constexpr unsigned kInputs = 3;
  SIMT_INLINE float of(float x, float scale, float zero, const float*) {
    const float steps = fminf(fmaxf(x / scale, -1024.0f), 1024.0f);
    return (steps + 12582912.0f) - 12582912.0f + zero;  // 1.5 * 2^23: next to it FP32 has the integers
  }
};
struct Dequantize {
  static constexpr unsigned kInputs = 3;
  SIMT_INLINE float of(float q, float scale, float zero, const float*) { return (q - zero) * scale; }
};

/// x times the normal distribution function, by the error function: max(x, 0) - |x| erfc(|x| / sqrt(2)) / 2. The square
/// of x has two parts, so that the exponential of its negative keeps its last bits. Several elements go through it step by
/// step; the constants come from memory, because registers have no room for all of them.
struct Gelu {
  static constexpr unsigned kInputs = 1;
  static constexpr float kTable[] = {0.707106769f,
                                     2.0f,
                                     -4.01139259e-4f,
                                     -1.23075210e-3f,
                                     1.31355342e-3f,
                                     8.63227434e-3f,
                                     -8.05991981e-3f,
                                     -5.42046614e-2f,
                                     1.64055392e-1f,
                                     -1.66031361e-1f,
                                     -9.27639827e-2f,
                                     2.76978403e-1f,
                                     1.0f,
                                     0.5f,
                                     -87.0f,
                                     1.44269504f,
                                     12582912.0f,
                                     -0.693145752f,
                                     -1.42860677e-6f,
                                     1.3814027e-3f,
                                     8.3689926e-3f,
                                     4.1668415e-2f,
                                     1.6666518e-1f,
                                     0.49999994f,
                                     1e15f};
  /// r = (...(r q + table[0]) q + table[1] ...) q + table[terms - 1]
  template <unsigned terms, unsigned count>
  SIMT_INLINE void polynomial(float (&r)[count], const float (&q)[count], const float* table) {
    NETWORK_UNROLLED
    for (unsigned term = 0; term < terms; ++term) {
      const float c = table[term];
      NETWORK_UNROLLED
      for (unsigned i = 0; i < count; ++i) r[i] = fmaf(r[i], q[i], c);
    }
  }
  template <unsigned count>
  SIMT_INLINE void of_all(float (&x)[count], const float* table) {
    float a[count], p[count], q[count], r[count];
#define NETWORK_EACH NETWORK_UNROLLED for (unsigned i = 0; i < count; ++i)
    NETWORK_EACH a[i] = fminf(fabsf(x[i]), table[24]) * table[0];
    NETWORK_EACH q[i] = (a[i] - table[1]) / (a[i] + table[1]);
    NETWORK_EACH p[i] = table[2];
    polynomial<9>(p, q, table + 3);
    NETWORK_EACH a[i] = (p[i] + table[12]) / fmaf(table[1], a[i], table[12]);  // erfc(a) / exp(-a^2)
    NETWORK_EACH p[i] = table[13] * x[i];
    NETWORK_EACH q[i] = p[i] * x[i];
    NETWORK_EACH r[i] = fmaf(-p[i], x[i], q[i]);  // what rounding the square lost, negative
    NETWORK_EACH r[i] = fminf(r[i], table[12]);  // the square may be infinite
    NETWORK_EACH a[i] = table[13] * fmaf(a[i], r[i], a[i]);
    NETWORK_EACH q[i] = fmaxf(-q[i], table[14]);
    NETWORK_EACH r[i] = fmaf(q[i], table[15], table[16]);
    NETWORK_EACH p[i] = r[i] - table[16];
    NETWORK_EACH q[i] = fmaf(p[i], table[17], q[i]);
    NETWORK_EACH q[i] = fmaf(p[i], table[18], q[i]);
    NETWORK_EACH p[i] = table[19];
    polynomial<4>(p, q, table + 20);
    NETWORK_EACH p[i] = fmaf(p[i], q[i] * q[i], q[i]) + table[12];
    NETWORK_EACH a[i] *= p[i] * float_from_bits((float_to_bits(r[i]) << 23) + 0x3F800000u);
    NETWORK_EACH x[i] = fmaf(-fabsf(x[i]), a[i], fmaxf(x[i], 0.0f));
#undef NETWORK_EACH
  }
};
/// Up to 0.92 a polynomial, above 1 - exp(another).
struct Erf {
  static constexpr unsigned kInputs = 1;
  static constexpr float kTable[] = {4.0f,
                                     0.92f,
                                     1.0f,
                                     -2.11618317e-5f,
                                     4.35218069e-4f,
                                     -4.17463947e-3f,
                                     2.5128616e-2f,
                                     -0.108293936f,
                                     -0.633334637f,
                                     -1.12952077f,
                                     1.75873472e-4f,
                                     1.44269504f,
                                     12582912.0f,
                                     -0.693145752f,
                                     -1.42860677e-6f,
                                     1.3814027e-3f,
                                     8.3689926e-3f,
                                     4.1668415e-2f,
                                     1.6666518e-1f,
                                     0.49999994f,
                                     -5.98875515e-4f,
                                     4.99327527e-3f,
                                     -2.67671011e-2f,
                                     0.112818442f,
                                     -0.376124978f,
                                     0.128379107f};  // and 1, so that the product is rounded once
  template <unsigned count>
  SIMT_INLINE void of_all(float (&x)[count], const float* table) {
    float a[count], p[count], q[count], r[count];
#define NETWORK_EACH NETWORK_UNROLLED for (unsigned i = 0; i < count; ++i)
    NETWORK_EACH a[i] = fminf(fabsf(x[i]), table[0]);
    NETWORK_EACH q[i] = table[3];
    Gelu::polynomial<7>(q, a, table + 4);
    NETWORK_EACH r[i] = fmaf(q[i], table[11], table[12]);
    NETWORK_EACH p[i] = r[i] - table[12];
    NETWORK_EACH q[i] = fmaf(p[i], table[13], q[i]);
    NETWORK_EACH q[i] = fmaf(p[i], table[14], q[i]);
    NETWORK_EACH p[i] = table[15];
    Gelu::polynomial<4>(p, q, table + 16);
    NETWORK_EACH p[i] = fmaf(p[i], q[i] * q[i], q[i]) + table[2];
    NETWORK_EACH r[i] = table[2] - p[i] * float_from_bits((float_to_bits(r[i]) << 23) + 0x3F800000u);
    NETWORK_EACH q[i] = a[i] * a[i];
    NETWORK_EACH p[i] = table[20];
    Gelu::polynomial<5>(p, q, table + 21);
    NETWORK_EACH p[i] = fmaf(p[i], x[i], x[i]);
    NETWORK_EACH x[i] = float_select(float_mask(fabsf(x[i]) >= table[1]), copysignf(r[i], x[i]), p[i]);
#undef NETWORK_EACH
  }
};
/// x / (1 + exp(-u - rest)) for u with the sign of x.
SIMT_INLINE float silu_of(float x, float u, float rest) {
  const float power = decay(u);
  const float sign = float_from_bits((float_to_bits(x) & 0x80000000u) | 0x3F800000u);
  return silu_of(x, fmaxf(fmaf(-power * sign, rest, power), 0.0f));  // NaN where u is infinite
}
/// The approximation by a sigmoid, x / (1 + exp(-1.702 x)) (hendrycks 2).
struct GeluSigmoid {
  static constexpr unsigned kInputs = 1;
  SIMT_INLINE float of(float x, float, float, const float*) {
    constexpr float kFactor = 1.702f, kFactorRest = -2.19345093e-8f;
    const float u = kFactor * x;
    return silu_of(x, u, fmaf(kFactorRest, x, fmaf(kFactor, x, -u)));
  }
};
/// The approximation by a hyperbolic tangent, x / (1 + exp(-u)), u = sqrt(8 / pi) (x + 0.044715 x^3). u has two parts.
struct GeluTanh {
  static constexpr unsigned kInputs = 1;
  SIMT_INLINE float of(float x, float, float, const float*) {
    constexpr float kFirst = 1.59576917f, kFirstRest = -4.53406803e-8f;
    constexpr float kThird = 0.071354814f, kThirdRest = 2.39883224e-9f;
    const float square = x * x, square_rest = fmaf(x, x, -square);
    const float third = kThird * square;
    const float third_rest =
        fmaf(kThirdRest, square, fmaf(kThird, square_rest, fmaf(kThird, square, -third)));
    const float factor = third + kFirst, added = factor - third;
    const float rest = (third - (factor - added)) + (kFirst - added) + (third_rest + kFirstRest);
    const float u = x * factor, u_rest = fmaf(x, rest, fmaf(x, factor, -u));
    return silu_of(x, u, u_rest);
  }
};

/// How many elements of a function go through its steps together. Fewer where registers have no room for four.
template <class F>
constexpr unsigned kTogether = 4;
/// The same for elements of 16 bits, whose conversions need registers.
template <class F>
constexpr unsigned kTogetherNarrow = kTogether<F>;
template <>
inline constexpr unsigned kTogetherNarrow<GeluTanh> = 2;
template <>
inline constexpr unsigned kTogetherNarrow<Gelu> = 2;
template <>
inline constexpr unsigned kTogetherNarrow<Erf> = 2;
template <>
inline constexpr unsigned kTogetherNarrow<Softplus> = 2;
template <>
inline constexpr unsigned kTogetherNarrow<Tanh> = 1;
#define NETWORK_TOGETHER(F, count) \
  template <>                      \
  inline constexpr unsigned kTogether<F> = count
NETWORK_TOGETHER(Tanh, 2);
NETWORK_TOGETHER(Log, 2);
NETWORK_TOGETHER(Pow, 1);  // a call of the library, which no register of an element outlives
#undef NETWORK_TOGETHER

}  // namespace network
