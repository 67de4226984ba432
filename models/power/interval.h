// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spica::power {

/// A nominal value and its bounds: sums of all low, all nominal and all high coefficients.
struct Interval {
  double low = 0, nominal = 0, high = 0;

  Interval& operator+=(const Interval& other) {
    low += other.low;
    nominal += other.nominal;
    high += other.high;
    return *this;
  }
  friend Interval operator+(Interval a, const Interval& b) { return a += b; }
  friend Interval operator*(const Interval& a, const Interval& factor) {
    return {a.low * factor.low, a.nominal * factor.nominal, a.high * factor.high};
  }
  friend Interval operator*(Interval a, double factor) {
    return {a.low * factor, a.nominal * factor, a.high * factor};
  }
};

}  // namespace spica::power
