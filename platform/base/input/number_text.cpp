// SPDX-License-Identifier: Apache-2.0
#include "platform/base/input/number_text.h"

#include <charconv>
#include <limits>

namespace spica::input {

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

}  // namespace spica::input
