// SPDX-License-Identifier: Apache-2.0
#include "models/power/law.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace spica::power {

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// Ratios this close are one size: areas are sums of many terms, and a table gives them in a few digits.
bool same(double a, double b) { return std::abs(a - b) <= 1e-3 * std::abs(b); }

bool is_blank(char c) { return c == ' ' || c == ','; }

std::string_view next_word(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  std::size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

}  // namespace

std::optional<Sizes> parse_sizes(std::string_view text) {
  Sizes sizes;
  for (std::string_view name = next_word(text); !name.empty(); name = next_word(text)) {
    const auto* const known = std::find_if(std::begin(kSizes.items), std::end(kSizes.items),
                                           [name](const auto& item) { return item.name == name; });
    if (known == std::end(kSizes.items)) return std::nullopt;
    const std::string value(next_word(text));
    char* end = nullptr;
    const double parsed = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0' || !std::isfinite(parsed) || parsed <= 0) return std::nullopt;
    sizes[known->value] = parsed;
  }
  return sizes;
}

std::string size_names() {
  std::string names;
  for (const auto& item : kSizes.items) names += (names.empty() ? "" : ", ") + std::string(item.name);
  return names;
}

std::string size_text(Size size, double value) {
  const std::string name(kSizes.name_of(size));
  if (size == Size::kSide || size == Size::kChipSide) return number(value) + " mm";
  if (size != Size::kBits) return number(value) + " " + name;
  const double bytes = value / 8;
  if (bytes >= 1024 * 1024) return number(bytes / (1024 * 1024)) + " MiB";
  if (bytes >= 1024) return number(bytes / 1024) + " KiB";
  return number(bytes) + " B";
}

bool Law::depends_on(Size size) const {
  for (const LawTerm& term : terms)
    for (const Power& power : term.powers)
      if (power.size == size) return true;
  return false;
}

double Scaling::uncertainty() const {
  if (factor.nominal <= 0) return 0;
  return std::max(factor.high / factor.nominal - 1, 1 - factor.low / factor.nominal);
}

Scaling scaling_of(const Law& law, const Sizes& at, const Sizes& now) {
  Scaling result;
  result.factor = {};
  for (const LawTerm& term : law.terms) {
    Interval product{term.share, term.share, term.share};
    for (const Power& power : term.powers) {
      const double from = at[power.size], to = now[power.size];
      if (same(to, from)) continue;
      const double ratio = to / from;
      const double a = std::pow(ratio, power.low), b = std::pow(ratio, power.high);
      product.low *= std::min(a, b);
      product.nominal *= std::pow(ratio, power.nominal);
      product.high *= std::max(a, b);
      const auto in_range = [&power](double value) { return value >= power.from && value <= power.to; };
      const bool is_new = std::none_of(result.departures.begin(), result.departures.end(),
                                       [&power](const Departure& one) { return one.size == power.size; });
      if (is_new) result.departures.push_back({power.size, from, to, in_range(from) && in_range(to)});
    }
    result.factor += product;
  }
  return result;
}

std::string law_text(const Law& law) {
  std::string text;
  for (const LawTerm& term : law.terms) {
    if (term.share == 0) continue;
    if (!text.empty()) text += " + ";
    if (law.terms.size() > 1 || term.powers.empty()) text += number(term.share);
    for (const Power& power : term.powers) {
      if (!text.empty() && text.back() != ' ') text += " ";
      text += kSizes.name_of(power.size);
      if (power.nominal != 1) text += "^" + number(power.nominal);
    }
  }
  return text;
}

}  // namespace spica::power
