// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstring>
#include <optional>

#include "models/isa/mma_form.h"
#include "models/isa/registers.h"
#include "models/numeric/convert.h"
#include "platform/base/input/number_text.h"
#include "platform/observe/report/text_table.h"

namespace spica::debug {

namespace {

using numeric::Format;
using report::TextTable;

constexpr unsigned kMostColumns = 64, kMostRows = 256;

std::string unknown_format(const std::string& word) {
  std::vector<std::string> keys;
  for (const numeric::FormatInfo& format : numeric::kFormats) keys.emplace_back(format.key);
  return fmt::format("'{}' is not a format; these are: {}\n", word, fmt::join(keys, ", "));
}

/// The element whose lowest bit is bit 0.
std::string number_text(Format format, std::uint32_t bits) {
  if (format == Format::kInt32) return std::to_string(static_cast<std::int32_t>(bits));
  return fmt::format("{}", numeric::value_of(format, bits));
}

/// Element `index` of the contiguous ones in `bytes`.
std::uint32_t bits_at(const std::string& bytes, Format format, std::uint64_t index) {
  const unsigned width = numeric::info(format).stored_bits;
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * width / 8, width < 8 ? 1 : width / 8);
  return width < 8 ? bits >> index * width % 8 & ((1u << width) - 1) : bits;
}

TextTable table_of(const std::string& rows, std::uint64_t columns) {
  std::vector<TextTable::Column> titles{{rows, TextTable::Align::kRight}};
  for (std::uint64_t i = 0; i < columns; ++i) titles.push_back({std::to_string(i), TextTable::Align::kRight});
  return TextTable(std::move(titles));
}

/// The elements of a word of a lane.
std::string word_text(Format format, std::uint32_t word) {
  const unsigned width = numeric::info(format).stored_bits;
  std::string text;
  for (unsigned at = 0; at < 32; at += width) text += (at == 0 ? "" : ",") + number_text(format, word >> at);
  return text;
}

std::optional<unsigned> row_of(const std::string& name) {
  for (unsigned row = 0; row < isa::kRegisterRows; ++row) {
    const std::string number = (row < isa::kFloatRow ? "x" : "f") + std::to_string(row % isa::kFloatRow);
    if (name == isa::register_name(row) || name == number) return row;
  }
  return std::nullopt;
}

}  // namespace

std::string tile_text(Target& target, unsigned warp, const std::vector<std::string>& words) {
  if (words.size() < 4) return "tile FORMAT ADDRESS ROWSxCOLUMNS [STRIDE in elements]\n";
  const std::optional<Format> format = numeric::format_of_key(words[1]);
  if (!format) return unknown_format(words[1]);
  const auto address = input::parse_number(words[2]);
  unsigned rows = 0, columns = 0;
  char rest = 0;
  if (!address) return fmt::format("'{}' is not an address.\n", words[2]);
  if (std::sscanf(words[3].c_str(), "%4ux%4u%c", &rows, &columns, &rest) != 2 || rows == 0 || columns == 0 ||
      rows > kMostRows || columns > kMostColumns)
    return fmt::format("'{}' is not ROWSxCOLUMNS, at most {}x{}.\n", words[3], kMostRows, kMostColumns);
  const auto stride = words.size() > 4 ? input::parse_number(words[4]) : columns;
  const unsigned width = numeric::info(*format).stored_bits;
  if (!stride || *stride * width % 8 != 0) return "The distance of rows is a number of whole bytes.\n";
  TextTable table = table_of("row", columns);
  for (unsigned row = 0; row < rows; ++row) {
    const std::uint64_t from = *address + row * *stride * width / 8, bytes = (columns * width + 7) / 8;
    const std::string data = target.read(from, bytes, warp);
    if (data.size() != bytes) return fmt::format("No memory at {:#x}.\n", from + data.size());
    std::vector<std::string> cells{std::to_string(row)};
    for (unsigned i = 0; i < columns; ++i) cells.push_back(number_text(*format, bits_at(data, *format, i)));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string values_text(Target& target, unsigned warp, const std::vector<std::string>& words) {
  if (words.size() < 3) return "values FORMAT REGISTER\n";
  const std::optional<Format> format = numeric::format_of_key(words[1]);
  if (!format) return unknown_format(words[1]);
  const soc::WarpView view = target.view(warp);
  const unsigned lanes = view.registers->lanes();
  std::vector<TextTable::Column> titles{{"lane", TextTable::Align::kRight}};
  std::vector<const std::uint32_t*> rows;
  const std::string& name = words[2];
  unsigned slot = 0;
  char rest = 0;
  if (const auto row = row_of(name)) {
    titles.push_back({name, TextTable::Align::kRight});
    rows.push_back(view.registers->row(*row));
  } else if (view.fragments != nullptr && std::sscanf(name.c_str(), "w%2u%c", &slot, &rest) == 1 &&
             slot < isa::kFragmentSlots) {
    for (unsigned i = 0; i < isa::kFragmentRegisters; ++i) {
      titles.push_back({fmt::format("{}.{}", name, i), TextTable::Align::kRight});
      rows.push_back(view.fragments + std::size_t{slot * isa::kFragmentRegisters + i} * isa::kMaxLanes);
    }
  } else {
    return fmt::format("'{}' is not a register of this machine.\n", name);
  }
  TextTable table(std::move(titles));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    std::vector<std::string> cells{std::to_string(lane)};
    for (const std::uint32_t* const words_of_row : rows)
      cells.push_back(word_text(*format, words_of_row[lane]));
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace spica::debug
