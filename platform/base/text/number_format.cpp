// SPDX-License-Identifier: Apache-2.0
#include "platform/base/text/number_format.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace spica::text {

namespace {

struct Prefixed {
  std::string digits;
  const char* prefix;
};

/// Three significant digits without zeros at the end of a fraction.
std::string three_digits(double value) {
  const double magnitude = std::fabs(value);
  const int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

Prefixed with_prefix(double value) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  unsigned prefix = 0;
  // 999.5 k would be shown as 1000 k: that is 1 M.
  while (std::fabs(value) >= 999.5 && prefix + 1 < std::size(kPrefixes)) {
    value /= 1000;
    ++prefix;
  }
  return {three_digits(value), kPrefixes[prefix]};
}

}  // namespace

std::string scaled(double value) {
  const Prefixed number = with_prefix(value);
  return *number.prefix == '\0' ? number.digits : number.digits + " " + number.prefix;
}

std::string scaled(double value, const std::string& unit) {
  const Prefixed number = with_prefix(value);
  return number.digits + " " + number.prefix + unit;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string percent(double ratio) {
  if (ratio > 0 && ratio < 0.0005) return "<0.1 %";
  return fmt::format("{:.1f} %", 100 * ratio);
}

}  // namespace spica::text
