// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/memory_image.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/input/file.h"
#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/address_text.h"

namespace spica::loader {

namespace {

/// Splits at the last '@'; both parts must be there.
std::pair<std::string, std::string> split_at(const std::string& text, const std::string& what,
                                             const char* form) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw input::UserError(fmt::format("{}: the form is {}", what, form));
  return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace

LoadImage parse_load(const std::string& text, const SourceMap& symbols,
                     const std::vector<MemoryRange>& ranges) {
  const std::string what = fmt::format("--load '{}'", text);
  const auto [path, address] = split_at(text, what, "FILE@ADDR");
  LoadImage image;
  image.path = path;
  image.address = parse_address(address, what, symbols);
  check_range(what, image.address, 1, ranges);
  std::uint64_t largest = 0;  // no memory takes more
  for (const MemoryRange& range : ranges) largest = std::max(largest, range.bytes);
  image.bytes = input::read_file(path, largest);
  if (image.bytes.empty()) throw input::UserError(fmt::format("{}: the file is empty", what));
  check_range(what, image.address, image.bytes.size(), ranges);
  const Symbol* variable = symbols.find_symbol(address);
  if (variable != nullptr && variable->kind == Symbol::Kind::kObject && variable->bytes != 0 &&
      image.bytes.size() > variable->bytes)
    throw input::UserError(fmt::format("{}: the file has {} bytes, '{}' has room for {}", what,
                                       image.bytes.size(), input::printable(address), variable->bytes));
  return image;
}

SaveImage parse_save(const std::string& text, const SourceMap& symbols,
                     const std::vector<MemoryRange>& ranges) {
  const std::string what = fmt::format("--save '{}'", text);
  const auto [path, place] = split_at(text, what, "FILE@ADDR+BYTES");
  SaveImage image;
  image.path = path;
  const std::size_t plus = place.rfind('+');
  image.address = parse_address(place.substr(0, plus), what, symbols);
  if (plus == std::string::npos) {
    const Symbol* symbol = symbols.find_symbol(place);
    if (symbol == nullptr || symbol->bytes == 0)
      throw input::UserError(fmt::format("{}: the size is missing, the form is FILE@ADDR+BYTES", what));
    image.bytes = symbol->bytes;
  } else {
    const std::string size = place.substr(plus + 1);
    const auto bytes = input::parse_byte_count(size);
    if (!bytes || *bytes == 0)
      throw input::UserError(
          fmt::format("{}: '{}' is not a size; examples: 4096, 0x1000, 256KiB, 1MiB", what, size));
    image.bytes = *bytes;
  }
  check_range(what, image.address, image.bytes, ranges);
  return image;
}

}  // namespace spica::loader
