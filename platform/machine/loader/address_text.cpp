// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/address_text.h"

#include <fmt/format.h>

#include "platform/base/input/number_text.h"
#include "platform/base/input/user_error.h"

namespace spica::loader {

std::uint64_t parse_address(const std::string& text, const std::string& what, const SourceMap& symbols) {
  if (const auto number = input::parse_number(text)) return *number;
  if (const Symbol* symbol = symbols.find_symbol(text); symbol != nullptr) return symbol->address;
  const bool looks_like_number = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (symbols.is_left_out(text)) throw input::UserError(fmt::format("{}: '{}' {}", what, text, kLeftOut));
  throw input::UserError(fmt::format("{}: '{}' is {}", what, text,
                                     looks_like_number ? "not a number"
                                                       : "neither a number nor a unique symbol of the "
                                                         "program"));
}

}  // namespace spica::loader
