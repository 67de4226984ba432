// SPDX-License-Identifier: Apache-2.0
#include "platform/base/input/printable.h"

#include <algorithm>
#include <cstdint>

namespace spica::input {

namespace {

constexpr char kDigits[] = "0123456789abcdef";

std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i]));
  };
  switch (character.size()) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3: return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

bool is_control(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) return true;
  if (c == 0x2028 || c == 0x2029) return true;  // end a line in JavaScript
  if (c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
      (c >= 0x2066 && c <= 0x2069))
    return true;  // what comes after such a mark is shown elsewhere
  return c == 0xFFFE || c == 0xFFFF;  // in no XML document
}

std::string escaped(std::string_view text, std::string_view kept) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }))
    return std::string(text);
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const std::string_view character = text.substr(0, bytes == 0 ? 1 : bytes);
    text.remove_prefix(character.size());
    const bool shown =
        bytes != 0 && (!is_control(code_point(character)) || kept.find(character) != std::string_view::npos);
    if (shown) {
      result += character;
      continue;
    }
    for (const char c : character) {
      const auto byte = static_cast<unsigned char>(c);
      result += "\\x";
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    }
  }
  return result;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::size_t character_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xC2 && first <= 0xDF   ? 2
                            : first >= 0xE0 && first <= 0xEF ? 3
                            : first >= 0xF0 && first <= 0xF4 ? 4
                                                             : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  const std::uint32_t c = code_point(text.substr(0, bytes));
  const bool longer_than_needed = (bytes == 3 && c < 0x800) || (bytes == 4 && c < 0x1'0000);
  const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
  return longer_than_needed || surrogate || c > 0x10'FFFF ? 0 : bytes;
}

std::string printable(std::string_view name) { return escaped(name, {}); }

std::string printable_lines(std::string_view text) { return escaped(text, "\n\t"); }

std::string unprintable(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const int high =
        i + 3 < name.size() && name[i] == '\\' && name[i + 1] == 'x' ? digit_value(name[i + 2]) : -1;
    const int low = high < 0 ? -1 : digit_value(name[i + 3]);
    if (low < 0) {
      result += name[i];
      continue;
    }
    result += static_cast<char>(high * 16 + low);
    i += 3;
  }
  return result;
}

}  // namespace spica::input
