// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "models/base/suggest.h"

namespace spica::config {
namespace {

constexpr std::pair<std::string_view, unsigned> kSizeSuffixes[] = {
    {"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"B", 0}};

bool in_bytes(const Field& field) { return field.unit == "B"; }

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }

bool strip_suffix(std::string_view& text, std::string_view suffix) {
  if (text.size() <= suffix.size() || text.substr(text.size() - suffix.size()) != suffix) return false;
  text.remove_suffix(suffix.size());
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return true;
}

std::optional<std::uint64_t> parse_integer(const Field& field, std::string_view text, std::string& why) {
  std::string_view digits = text;
  unsigned shift = 0;
  const bool hex = digits.substr(0, 2) == "0x" || digits.substr(0, 2) == "0X";
  if (in_bytes(field)) {
    for (const auto& [suffix, bits] : kSizeSuffixes) {
      if (hex && suffix == "B") continue;  // a digit
      if (strip_suffix(digits, suffix)) {
        shift = bits;
        break;
      }
    }
  }
  if (hex) digits.remove_prefix(2);
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, number, hex ? 16 : 10);
  const bool octal_looking = !hex && digits.size() > 1 && digits.front() == '0';
  if (result.ec == std::errc::invalid_argument || result.ptr != end || octal_looking) {
    const bool negative =
        digits.size() > 1 && digits.front() == '-' &&
        std::all_of(digits.begin() + 1, digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    why = negative ? std::string(text) + " is negative" : quoted(text) + " is not a whole number";
    return std::nullopt;
  }
  if (result.ec == std::errc::result_out_of_range ||
      number > (std::numeric_limits<std::uint64_t>::max() >> shift) ||
      (number << shift) > field.max_integer) {
    why = std::string(text) + " is out of range";
    return std::nullopt;
  }
  return number << shift;
}

std::optional<double> parse_real(std::string_view text, std::string& why) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec == std::errc::result_out_of_range) {
    why = std::string(text) + " is out of range";
    return std::nullopt;
  }
  if (result.ec != std::errc{} || result.ptr != end || !std::isfinite(number)) {
    why = quoted(text) + " is not a number";
    return std::nullopt;
  }
  return number;
}

template <class Number>
bool in_range(const Field& field, Number number, std::string_view text, std::string& why) {
  if (field.range.contains(number)) return true;
  const bool bounded = base::Range{field.range.min, field.range.max}.contains(number);
  why = std::string(text) + (bounded ? " is not a power of two" : " is out of range");
  return false;
}

std::string bound_text(const Field& field, double bound) {
  if (field.kind == Field::Kind::kReal) return fmt::format("{}", bound);
  const auto largest = static_cast<double>(field.max_integer);
  const auto number = bound >= largest ? field.max_integer : static_cast<std::uint64_t>(bound);
  if (!in_bytes(field) || number == 0) return value_text(field, Value{number});
  for (const auto& [suffix, bits] : kSizeSuffixes)
    if (number % (std::uint64_t{1} << bits) == 0) return fmt::format("{} {}", number >> bits, suffix);
  return {};
}

}  // namespace

std::optional<bool> parse_truth(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<Value> parse_value(const Field& field, std::string_view text, std::string& why) {
  switch (field.kind) {
    case Field::Kind::kInteger: {
      const auto number = parse_integer(field, text, why);
      if (!number || !in_range(field, *number, text, why)) return std::nullopt;
      return Value{*number};
    }
    case Field::Kind::kReal: {
      const auto number = parse_real(text, why);
      if (!number || !in_range(field, *number, text, why)) return std::nullopt;
      return Value{*number};
    }
    case Field::Kind::kBool:
      if (const auto truth = parse_truth(text)) return Value{*truth};
      why = quoted(text) + " is not a boolean";
      return std::nullopt;
    case Field::Kind::kChoice:
      if (std::find(field.choices.begin(), field.choices.end(), text) != field.choices.end())
        return Value{std::string(text)};
      why = quoted(text) + " is not one of the choices" + base::did_you_mean(text, field.choices);
      return std::nullopt;
    default: return Value{std::string(text)};
  }
}

std::string value_text(const Field& field, const Value& value) {
  switch (field.kind) {
    case Field::Kind::kInteger: {
      const auto number = std::get<std::uint64_t>(value);
      return field.unit == "address" ? fmt::format("{:#010x}", number) : fmt::format("{}", number);
    }
    case Field::Kind::kReal: return fmt::format("{}", std::get<double>(value));
    case Field::Kind::kBool: return std::get<bool>(value) ? "true" : "false";
    default: return std::get<std::string>(value);
  }
}

std::string allowed_text(const Field& field) {
  switch (field.kind) {
    case Field::Kind::kInteger:
    case Field::Kind::kReal: {
      std::string text = bound_text(field, field.range.min) + ".." + bound_text(field, field.range.max);
      const bool unit_shown = in_bytes(field) || field.unit == "address" || field.unit.empty();
      if (!unit_shown) text += ' ' + field.unit;
      if (field.range.shape == base::kPow2) text += ", powers of two";
      return text;
    }
    case Field::Kind::kBool: return kTruthText;
    case Field::Kind::kChoice: return fmt::format("{}", fmt::join(field.choices, ", "));
    case Field::Kind::kString: return "any text";
    case Field::Kind::kList:
      if (is_value_list(field)) return "a list, each entry " + allowed_text(field.prototype());
      return {};
    default: return {};
  }
}

std::string kind_text(Field::Kind kind) {
  switch (kind) {
    case Field::Kind::kInteger: return "a whole number";
    case Field::Kind::kReal: return "a number";
    case Field::Kind::kBool: return "a boolean";
    case Field::Kind::kChoice: return "one of the choices";
    case Field::Kind::kString: return "a string";
    case Field::Kind::kGroup: return "a group of keys";
    case Field::Kind::kList: return "a list";
  }
  return {};
}

}  // namespace spica::config
