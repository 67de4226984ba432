// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/number_text.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "platform/machine/loader/user_error.h"

namespace spica::loader {

std::optional<std::uint64_t> parse_number(const std::string& text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_byte_count(const std::string& text) {
  std::uint64_t factor = 1;
  std::string number = text;
  const auto take = [&](const std::string& suffix, std::uint64_t value) {
    if (number.size() <= suffix.size()) return false;
    if (number.compare(number.size() - suffix.size(), suffix.size(), suffix) != 0) return false;
    number.resize(number.size() - suffix.size());
    factor = value;
    return true;
  };
  // B is a hexadecimal digit too, so it is a suffix of decimal numbers only.
  const bool hex = text.compare(0, 2, "0x") == 0 || text.compare(0, 2, "0X") == 0;
  (void)(take("KiB", 1u << 10) || take("MiB", 1u << 20) || take("GiB", 1u << 30) || (!hex && take("B", 1)));
  const std::optional<std::uint64_t> value = parse_number(number);
  if (!value || *value > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
  return *value * factor;
}

std::uint64_t parse_address(const std::string& text, const std::string& what, const SourceMap& symbols) {
  if (const auto number = parse_number(text)) return *number;
  if (const Symbol* symbol = symbols.find_symbol(text); symbol != nullptr) return symbol->address;
  const bool looks_like_number = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (symbols.is_left_out(text)) throw UserError(fmt::format("{}: '{}' {}", what, text, kLeftOut));
  throw UserError(
      fmt::format("{}: '{}' is {}", what, text,
                  looks_like_number ? "not a number" : "neither a number nor one symbol of the program"));
}

}  // namespace spica::loader
