// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/text_table.h"

#include <algorithm>
#include <string_view>

#include "platform/base/input/printable.h"

namespace spica::report {

std::size_t shown_width(const std::string& text) {
  // All bytes but the second and later ones of a character.
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string first_characters(const std::string& text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t bytes; most > 0 && end < text.size(); end += bytes, --most)
    bytes = std::max<std::size_t>(1, input::character_bytes(std::string_view(text).substr(end)));
  return text.substr(0, end);
}

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(unsigned indent) const {
  if (rows_.empty()) return "";
  std::vector<std::size_t> widths(columns_.size(), 0);
  bool titled = false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    for (const auto& row : rows_) widths[c] = std::max(widths[c], shown_width(row[c]));
    if (widths[c] == 0) continue;  // left out
    widths[c] = std::max(widths[c], shown_width(columns_[c].title));
    titled = titled || !columns_[c].title.empty();
  }
  std::string result;
  const auto add_line = [&](const auto& cell) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (widths[c] == 0) continue;
      if (line.size() > indent) line += "  ";
      const std::string& text = cell(c);
      const std::string blanks(widths[c] - shown_width(text), ' ');
      line += columns_[c].align == Align::kRight ? blanks + text : text + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  };
  if (titled) add_line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) add_line([&](std::size_t c) -> const std::string& { return row[c]; });
  return result;
}

}  // namespace spica::report
