// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace spica::report {

/// Number of characters a terminal shows for UTF-8 text without wide or combining characters.
std::size_t shown_width(const std::string& text);

/// At most the first `most` characters of UTF-8 text.
std::string first_characters(const std::string& text, std::size_t most);

/// Rows of text with aligned columns, separated by two blanks, without trailing blanks.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Missing cells are empty.
  void add(std::vector<std::string> cells);
  /// A line of titles (unless all are empty) and the rows, each line after `indent` blanks. Columns without any cell
  /// are omitted. Ends with a newline; "" without rows.
  std::string text(unsigned indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace spica::report
