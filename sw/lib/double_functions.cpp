// SPDX-License-Identifier: Apache-2.0
// Functions of double that compilers call for what other machines have instructions for: square root, fused
// multiplication and addition, rounding to integers, least and greatest. Each result is that of IEEE 754, to nearest.
// No branches, as in double.cpp.
#include <stdint.h>

#include "soft_float.h"

namespace {

using soft_float::bits_of;
using soft_float::Double;
using soft_float::double_of;
using soft_float::Number;
using words::choose;
using words::mask;

// ---- rounding to integers ---------------------------------------------------------------------------
enum class Away { kNever, kDown, kUp, kFromHalf, kTiesToEven };  // when the size grows

/// `away`: from zero, where a fraction is dropped.
template <Away kAway>
uint64_t rounded(uint64_t bits) {
  const uint64_t size = Double::size(bits);
  const int32_t places = Double::exponent(size) - Double::kBias;  // behind the first bit
  const uint32_t negative = simt_hide(0u - (words::high(bits) >> 31));
  const uint32_t below_one = mask(places < 0), is_whole = mask(places >= 52);
  const uint32_t dropped = static_cast<uint32_t>(52 - places) & ~below_one & ~is_whole & 63;
  const uint64_t unit = words::shift_left(1, dropped), fraction = unit - 1;

  uint64_t carry = 0;  // added to the size, before its fraction is dropped
  uint64_t one = 0;  // what a size below 1 becomes
  const uint64_t one_bits = static_cast<uint64_t>(Double::kBias) << 52, half_bits = one_bits - (1ull << 52);
  const uint32_t is_zero = mask(words::is_zero(size));
  if (kAway == Away::kDown || kAway == Away::kUp) {
    const uint32_t grows = kAway == Away::kDown ? negative : ~negative;
    carry = fraction & words::wide(grows);
    one = one_bits & words::wide(grows & ~is_zero);
  } else if (kAway == Away::kFromHalf) {
    carry = unit >> 1;
    one = one_bits & ~words::wide(mask(words::less(size, half_bits)));
  } else if (kAway == Away::kTiesToEven) {
    const uint64_t odd = static_cast<unsigned>(!words::is_zero(size & unit));
    carry = (fraction >> 1) + odd;
    carry = choose(mask(dropped == 0), uint64_t(0), carry);
    one = one_bits & words::wide(mask(words::less(half_bits, size)));
  }
  uint64_t result = (size + carry) & ~fraction;
  result = choose(below_one, one, choose(is_whole, size, result));
  const uint32_t nan = mask(soft_float::is_nan(size));
  return Double::signed_bits(Double::sign(bits) & ~nan, choose(nan, uint64_t(Double::kNan), result));
}

// ---- square root -------------------------------------------------------------------------------------
/// Digit by digit: 55 bits of the root, and whether there is a rest.
uint64_t square_root(uint64_t bits) {
  const uint64_t size = Double::size(bits);
  const Number x = soft_float::normalised(Double::unpack(size));
  const int32_t exponent = x.exponent - Double::kBias;
  uint64_t left =
      words::shift_left(x.significand >> 1, static_cast<uint32_t>(exponent & 1));  // in [2^62, 2^64)
  uint64_t root = 0, rest = 0;
  for (unsigned i = 0; i < 55; ++i) {
    rest = rest << 2 | left >> 62;
    left <<= 2;
    const uint64_t trial = root << 2 | 1, after = rest - trial;
    const uint32_t fits = mask(!words::less(rest, trial));
    rest = choose(fits, after, rest);
    root = root << 1 | (fits & 1);
  }
  const uint64_t significand = root << 9 | static_cast<unsigned>(!words::is_zero(rest));
  uint64_t result = Double::rounded((exponent >> 1) + Double::kBias, significand);
  const uint32_t zero = mask(words::is_zero(size)), negative = mask(Double::sign(bits)) & ~zero;
  result = choose(mask(soft_float::is_special(size)), uint64_t(Double::kInfinity), result);
  result = choose(zero, size, result);
  const uint32_t nan = mask(soft_float::is_nan(size)) | negative;
  return Double::signed_bits(Double::sign(bits) & zero & ~nan, choose(nan, uint64_t(Double::kNan), result));
}

// ---- a * b + c, rounded once -------------------------------------------------------------------------
struct Wide {
  uint64_t high, low;
};
Wide product(uint64_t a, uint64_t b) {
  const uint64_t low = words::product(words::low(a), words::low(b));
  const uint64_t one = words::product(words::high(a), words::low(b)) + words::high(low);
  const uint64_t two = words::product(words::low(a), words::high(b)) + words::low(one);
  return {words::product(words::high(a), words::high(b)) + words::high(one) + words::high(two),
          words::join(words::low(two), words::low(low))};
}
unsigned less(const Wide& a, const Wide& b) {
  const unsigned same = words::is_zero(a.high ^ b.high);
  return words::less(a.high, b.high) | (same & words::less(a.low, b.low));
}
/// By n < 128; the last bit is set when a bit has been shifted out.
Wide shifted_right(const Wide& x, uint32_t n) {
  const uint32_t far = mask(n >> 6), near = n & 63, moves = mask(near);
  const uint64_t across = words::shift_left(x.high, (64 - near) & 63) & words::wide(moves);
  const uint64_t lost_low = words::shift_left(x.low, (64 - near) & 63) & words::wide(moves);
  const uint64_t high = words::shift_right(x.high, near), low = words::shift_right(x.low, near) | across;
  const uint64_t lost = choose(far, x.low | across, lost_low);
  const Wide result{high & ~words::wide(far), choose(far, high, low)};
  return {result.high, result.low | static_cast<unsigned>(!words::is_zero(lost))};
}
Wide shifted_left(const Wide& x, uint32_t n) {
  const uint32_t far = mask(n >> 6), near = n & 63;
  const uint64_t across = words::shift_right(x.low, (64 - near) & 63) & words::wide(mask(near));
  const uint64_t high = words::shift_left(x.high, near) | across, low = words::shift_left(x.low, near);
  return {choose(far, low, high), low & ~words::wide(far)};
}
Wide chosen(uint32_t which, const Wide& a, const Wide& b) {
  return {choose(which, a.high, b.high), choose(which, a.low, b.low)};
}

uint64_t multiply_add(uint64_t a, uint64_t b, uint64_t c) {
  constexpr int32_t kNothing = -8192;  // the exponent of 0
  const uint64_t size_a = Double::size(a), size_b = Double::size(b), size_c = Double::size(c);
  const Number x = soft_float::normalised(Double::unpack(size_a)),
               y = soft_float::normalised(Double::unpack(size_b)),
               z = soft_float::normalised(Double::unpack(size_c));
  const uint32_t zero_c = mask(words::is_zero(size_c)),
                 zero_p = mask(words::is_zero(size_a) | words::is_zero(size_b));
  const uint32_t sign_p = Double::sign(a ^ b), sign_c = Double::sign(c);

  // The first bit of c is bit 125, that of the product 125 or 126; below them are zeros, so that nothing is lost yet.
  Wide p = product(x.significand, y.significand), q{z.significand >> 2, z.significand << 62};
  p = shifted_right(p, 1);
  p = chosen(zero_p, Wide{0, 0}, p);
  q = chosen(zero_c, Wide{0, 0}, q);
  const int32_t of_p = choose(zero_p, kNothing, x.exponent + y.exponent - Double::kBias);
  const int32_t of_q = choose(zero_c, kNothing, z.exponent);
  const int32_t apart = of_p - of_q, distance = choose(mask(apart < 0), -apart, apart);
  const uint32_t shift = static_cast<uint32_t>(choose(mask(distance > 127), 127, distance));
  const uint32_t p_is_less = mask(apart < 0);
  p = chosen(p_is_less, shifted_right(p, shift), p);
  q = chosen(p_is_less, q, shifted_right(q, shift));

  const uint32_t minus = mask(sign_p ^ sign_c), swap = minus & mask(less(p, q));
  const Wide large = chosen(swap, q, p), small = chosen(swap, p, q);
  const uint64_t low = large.low + words::negate(minus, small.low);
  const unsigned borrow = words::less(large.low, small.low), carry = words::less(low, large.low);
  const uint64_t high =
      large.high + words::negate(minus, small.high) - (borrow & minus & 1) + (carry & ~minus & 1);
  const uint32_t upper = mask(words::is_zero(high));
  const uint32_t zeros = choose(upper, 64 + words::leading_zeros(low), words::leading_zeros(high));
  const uint32_t nothing = mask(words::is_zero(high) & words::is_zero(low));
  const Wide sum = shifted_left({high, low}, zeros & ~nothing & 127);
  const uint64_t significand = sum.high | static_cast<unsigned>(!words::is_zero(sum.low));
  const int32_t exponent = choose(p_is_less, of_q, of_p) + 2 - static_cast<int32_t>(zeros);
  uint64_t result = choose(nothing, uint64_t(0), Double::rounded_or_subnormal(exponent, significand));
  uint32_t sign = choose(swap, sign_c, sign_p);
  sign = choose(nothing, sign_p & sign_c, sign);

  const uint32_t infinite_p = mask(soft_float::is_special(size_a) | soft_float::is_special(size_b)),
                 infinite_c = mask(soft_float::is_special(size_c));
  const uint32_t nan =
      mask(soft_float::is_nan(size_a) | soft_float::is_nan(size_b) | soft_float::is_nan(size_c)) |
      (infinite_p & zero_p) | (infinite_p & infinite_c & minus);
  result = choose(infinite_p | infinite_c, uint64_t(Double::kInfinity), result);
  sign = choose(infinite_p, sign_p, choose(infinite_c, sign_c, sign));
  result = choose(nan, uint64_t(Double::kNan), result);
  return Double::signed_bits(sign & ~nan, result);
}

/// The number where the other is none.
uint64_t least(uint64_t a, uint64_t b, int32_t order) {
  const uint32_t takes_b =
      mask(soft_float::is_nan(Double::size(a))) |
      (mask(soft_float::compare(a, b, 0) == order) & ~mask(soft_float::is_nan(Double::size(b))));
  return choose(takes_b, b, a);
}

}  // namespace

extern "C" {
double sqrt(double x) { return double_of(square_root(bits_of(x))); }
double fma(double a, double b, double c) {
  return double_of(multiply_add(bits_of(a), bits_of(b), bits_of(c)));
}
double trunc(double x) { return double_of(rounded<Away::kNever>(bits_of(x))); }
double floor(double x) { return double_of(rounded<Away::kDown>(bits_of(x))); }
double ceil(double x) { return double_of(rounded<Away::kUp>(bits_of(x))); }
double round(double x) { return double_of(rounded<Away::kFromHalf>(bits_of(x))); }
double rint(double x) { return double_of(rounded<Away::kTiesToEven>(bits_of(x))); }
double nearbyint(double x) { return double_of(rounded<Away::kTiesToEven>(bits_of(x))); }
double roundeven(double x) { return double_of(rounded<Away::kTiesToEven>(bits_of(x))); }
double fmin(double a, double b) { return double_of(least(bits_of(a), bits_of(b), 1)); }
double fmax(double a, double b) { return double_of(least(bits_of(a), bits_of(b), -1)); }
}
