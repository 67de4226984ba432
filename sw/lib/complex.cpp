// SPDX-License-Identifier: Apache-2.0
// What compilers call to multiply and divide complex numbers, with the infinities of C (C17, annex G.5.1). Lanes with
// different numbers may call these together.
#include <stdint.h>

#include "words.h"

namespace {

/// The bits of a number.
struct FloatBits {
  using Number = float;
  using Bits = uint32_t;
  static constexpr int kFraction = 23, kBias = 127;
};
struct DoubleBits {
  using Number = double;
  using Bits = uint64_t;
  static constexpr int kFraction = 52, kBias = 1023;
};

template <class Format>
struct Complex {
  using Number = typename Format::Number;
  using Bits = typename Format::Bits;
  static constexpr Bits kSign = Bits(1) << (8 * sizeof(Bits) - 1), kInfinity = Bits(2 * Format::kBias + 1)
                                                                               << Format::kFraction;

  Number real, imaginary;

  static Bits bits(Number x) {
    Bits result;
    __builtin_memcpy(&result, &x, sizeof result);
    return result;
  }
  static Number number(Bits bits) {
    Number result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
  }
  static Bits size(Number x) { return bits(x) & ~kSign; }
  static uint32_t is_infinite(Number x) { return words::mask(words::is_zero(size(x) ^ kInfinity)); }
  static uint32_t is_nan(Number x) { return words::mask(words::less(kInfinity, size(x))); }
  static Number choose(uint32_t mask, Number a, Number b) {
    return number(words::choose(mask, bits(a), bits(b)));
  }
  static Number zero_like(Number x) { return number(bits(x) & kSign); }
  static Number infinity() { return number(kInfinity); }
  /// 1 for infinity and 0 else, with the sign of x.
  static Number unit(Number x) {
    return number(words::choose(is_infinite(x), bits(Number(1)), Bits(0)) | (bits(x) & kSign));
  }
  static Number power_of_two(int32_t n) { return number(Bits(n + Format::kBias) << Format::kFraction); }

  uint32_t any_infinite() const { return is_infinite(real) | is_infinite(imaginary); }
  Complex units() const { return {unit(real), unit(imaginary)}; }
  Complex without_nan() const {
    return {choose(is_nan(real), zero_like(real), real),
            choose(is_nan(imaginary), zero_like(imaginary), imaginary)};
  }
  static Complex choose(uint32_t mask, const Complex& a, const Complex& b) {
    return {choose(mask, a.real, b.real), choose(mask, a.imaginary, b.imaginary)};
  }

  static Complex multiply(Complex x, Complex y) {
    const Number rr = x.real * y.real, ii = x.imaginary * y.imaginary;
    const Number ri = x.real * y.imaginary, ir = x.imaginary * y.real;
    const Complex plain{rr - ii, ri + ir};
    const uint32_t lost = is_nan(plain.real) & is_nan(plain.imaginary);
    if (!simt_any(lost)) return plain;
    const uint32_t infinite_x = x.any_infinite(), infinite_y = y.any_infinite();
    const uint32_t overflow = is_infinite(rr) | is_infinite(ii) | is_infinite(ri) | is_infinite(ir);
    const uint32_t infinite = infinite_x | infinite_y | overflow;
    x = choose(infinite_x, x.units(), x).without_nan();
    y = choose(infinite_y, y.units(), y).without_nan();
    const Complex direction{infinity() * (x.real * y.real - x.imaginary * y.imaginary),
                            infinity() * (x.real * y.imaginary + x.imaginary * y.real)};
    return choose(lost & infinite, direction, plain);
  }

  /// The larger part of y is made 1 to 2 before, so that its square is a number.
  static Complex divide(Complex x, Complex y) {
    const Bits real_size = size(y.real), imaginary_size = size(y.imaginary);
    const Bits larger =
        words::choose(words::mask(words::less(real_size, imaginary_size)), imaginary_size, real_size);
    const int32_t exponent = static_cast<int32_t>(larger >> Format::kFraction) - Format::kBias;
    const uint32_t finite = words::mask(exponent <= Format::kBias);
    const int32_t scale = static_cast<int32_t>(static_cast<uint32_t>(-exponent) & finite), half = scale >> 1;
    const Number first = power_of_two(half), second = power_of_two(scale - half);
    const Number c = y.real * first * second, d = y.imaginary * first * second;
    const Number square = c * c + d * d;
    const Number a = x.real * first, b = x.imaginary * first;
    const Complex plain{(a * c + b * d) / square * second, (b * c - a * d) / square * second};
    const uint32_t lost = is_nan(plain.real) & is_nan(plain.imaginary);
    if (!simt_any(lost)) return plain;
    const uint32_t zero = words::mask(words::is_zero(larger)) & ~(is_nan(x.real) & is_nan(x.imaginary));
    const uint32_t nan_y = is_nan(y.real) | is_nan(y.imaginary), infinite_y = y.any_infinite();
    const uint32_t infinite_x = x.any_infinite(), nan_x = is_nan(x.real) | is_nan(x.imaginary);
    const Number pole = number(kInfinity | (bits(y.real) & kSign));
    Complex result = choose(zero, {pole * x.real, pole * x.imaginary}, plain);
    const Complex to = choose(infinite_x, x.units(), x), by = choose(infinite_y, y.units(), {c, d});
    const Complex direction{to.real * by.real + to.imaginary * by.imaginary,
                            to.imaginary * by.real - to.real * by.imaginary};
    result = choose(infinite_x & ~infinite_y & ~nan_y & ~zero,
                    {infinity() * direction.real, infinity() * direction.imaginary}, result);
    result = choose(infinite_y & ~infinite_x & ~nan_x, {0 * direction.real, 0 * direction.imaginary}, result);
    return choose(lost, result, plain);
  }
};

}  // namespace

#define COMPLEX(name, operation, Format, type)                                \
  _Complex type name(type a, type b, type c, type d) {                        \
    const Complex<Format> value = Complex<Format>::operation({a, b}, {c, d}); \
    _Complex type result;                                                     \
    __real__ result = value.real;                                             \
    __imag__ result = value.imaginary;                                        \
    return result;                                                            \
  }

extern "C" {
COMPLEX(__mulsc3, multiply, FloatBits, float)
COMPLEX(__divsc3, divide, FloatBits, float)
COMPLEX(__muldc3, multiply, DoubleBits, double)
COMPLEX(__divdc3, divide, DoubleBits, double)
}
