// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/yaml_bytes.h"

#include "platform/base/input/printable.h"

namespace spica::config {
namespace {

/// U+10FE00 + byte in UTF-8 starts with these. (The page behind it ends with two code points that are not characters.)
constexpr std::string_view kPage = "\xF4\x8F";

bool is_stand_in(std::string_view character) {
  return character.size() == 4 && character.substr(0, 2) == kPage &&
         (static_cast<unsigned char>(character[2]) & 0xFC) == 0xB8;
}

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
}

/// Bytes at the start that the parser takes as they are; most texts are nothing else.
std::size_t plain_bytes(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size() && static_cast<unsigned char>(text[bytes]) < 0x80 && !is_control(text[bytes]))
    ++bytes;
  return bytes;
}

}  // namespace

std::string yaml_characters(std::string_view text) {
  if (text.substr(0, 2) == "\xFE\xFF" || text.substr(0, 2) == "\xFF\xFE") return std::string(text);
  std::string result;
  result.reserve(text.size());
  while (true) {
    const std::size_t plain = plain_bytes(text);
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return result;
    const std::size_t bytes = input::character_bytes(text);
    const std::string_view character = text.substr(0, bytes == 0 ? 1 : bytes);
    text.remove_prefix(character.size());
    if (bytes > 1 ? !is_stand_in(character) : bytes == 1 && !is_control(character[0])) {
      result += character;
      continue;
    }
    for (const char c : character) {
      const auto byte = static_cast<unsigned char>(c);
      result += kPage;
      result += static_cast<char>(0xB8 | byte >> 6);
      result += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
}

std::string quoted_value(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '\n': result += "\\n"; break;
      case '\r': result += "\\r"; break;
      case '\t': result += "\\t"; break;
      case '"':
      case '\\': result += '\\'; [[fallthrough]];
      default: result += c;
    }
  }
  return result + '"';
}

std::string original_bytes(std::string_view scalar) {
  if (scalar.find(kPage[0]) == std::string_view::npos) return std::string(scalar);
  std::string result;
  for (std::size_t i = 0; i < scalar.size(); ++i) {
    const std::string_view character = scalar.substr(i, 4);
    if (!is_stand_in(character)) {
      result += scalar[i];
      continue;
    }
    result += static_cast<char>((character[2] & 3) << 6 | (character[3] & 0x3F));
    i += 3;
  }
  return result;
}

}  // namespace spica::config
