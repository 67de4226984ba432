// SPDX-License-Identifier: Apache-2.0
// Number formats written down a second time, in exact arithmetic: the codes of each in the order of what they mean, as
// rationals, and between neighbours the places where rounding changes.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "models/numeric/format.h"

namespace spica::numeric::exact {

inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

using Rational = boost::multiprecision::cpp_rational;

inline Rational power_of_two(int exponent) {
  const boost::multiprecision::cpp_int one = 1;
  const boost::multiprecision::cpp_int power = one << std::abs(exponent);
  return exponent < 0 ? Rational(1, power) : Rational(power);
}
inline Rational of_double(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return Rational(static_cast<std::int64_t>(std::ldexp(fraction, 53))) * power_of_two(exponent - 53);
}

/// As the specifications print them: IEEE 754-2019 table 3.5, ofp8 table 1, mx tables 2 to 5.
struct Printed {
  Format format;
  int exponent_bits, fraction_bits;
  double largest, least_normal, least;
  bool infinities, nan;
};
constexpr Printed kPrinted[] = {
    {Format::kBf16, 8, 7, 0x1.FEp127, 0x1p-126, 0x1p-133, true, true},
    {Format::kFp16, 5, 10, 65504, 0x1p-14, 0x1p-24, true, true},
    {Format::kE4m3, 4, 3, 448, 0x1p-6, 0x1p-9, false, true},
    {Format::kE5m2, 5, 2, 57344, 0x1p-14, 0x1p-16, true, true},
    {Format::kE3m2, 3, 2, 28, 0.25, 0.0625, false, false},
    {Format::kE2m3, 2, 3, 7.5, 1, 0.125, false, false},
    {Format::kE2m1, 2, 1, 6, 1, 0.5, false, false},
};

/// The numbers of a format that are not negative, in order; the code of number i is i.
class Numbers {
 public:
  explicit Numbers(const Printed& printed) : printed_(printed) {
    const std::uint32_t count = 1u << (printed.exponent_bits + printed.fraction_bits);
    const std::uint32_t whole = 1u << printed.fraction_bits;
    int least = 0;  // of a normal number
    std::frexp(printed.least_normal, &least);
    --least;
    for (std::uint32_t code = 0; code < count; ++code) {
      const int field = static_cast<int>(code >> printed.fraction_bits);
      const std::uint32_t fraction = code & (whole - 1);
      const Rational value = field == 0 ? Rational(fraction, whole) * power_of_two(least)
                                        : Rational(whole + fraction, whole) * power_of_two(least + field - 1);
      values_.push_back(value.convert_to<double>());
      if (of_double(values_.back()) != value) throw std::logic_error("double precision holds each number");
      if (values_.back() == printed.largest) break;  // behind it are infinities and NaN
    }
    if (values_.back() != printed.largest || values_[1] != printed.least ||
        values_[whole] != printed.least_normal)
      throw std::logic_error("not the numbers that are printed");
    for (std::size_t i = 0; i < values_.size(); ++i) {
      // Behind the largest number the next one, if the exponents went on.
      const Rational here = of_double(values_[i]);
      const Rational next =
          i + 1 < values_.size() ? of_double(values_[i + 1]) : here + here - of_double(values_[i - 1]);
      const Rational middle = (here + next) / 2;
      middles_.push_back(middle.convert_to<double>());
      if (of_double(middles_.back()) != middle) throw std::logic_error("double precision holds each middle");
    }
  }

  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& middles() const { return middles_; }
  std::uint32_t sign() const { return 1u << (printed_.exponent_bits + printed_.fraction_bits); }
  std::uint32_t largest() const { return static_cast<std::uint32_t>(values_.size()) - 1; }

  /// The code of the nearest number, of two the even one.
  std::uint32_t nearest(double value, bool saturates) const {
    if (std::isnan(value)) return nan();
    const std::uint32_t minus = std::signbit(value) ? sign() : 0;
    const double magnitude = std::fabs(value);
    const auto above =
        std::lower_bound(middles_.begin(), middles_.end(), magnitude);  // the first middle not below
    std::size_t code = static_cast<std::size_t>(above - middles_.begin());
    if (above != middles_.end() && *above == magnitude && code % 2 != 0) ++code;
    if (code <= largest()) return minus | static_cast<std::uint32_t>(code);
    if (saturates || !printed_.nan) return minus | largest();
    return printed_.infinities ? minus | infinity() : nan();  // NaN is canonical
  }
  std::uint32_t infinity() const { return largest() + 1; }
  /// The canonical one; of a format without the largest number.
  std::uint32_t nan() const {
    if (!printed_.nan) return largest();
    return printed_.infinities ? infinity() | 1u << (printed_.fraction_bits - 1) : sign() - 1;
  }

 private:
  Printed printed_;
  std::vector<double> values_, middles_;
};

}  // namespace spica::numeric::exact
