// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// Parses "4096" or "0x1000"; empty unless the whole text is a number.
std::optional<std::uint64_t> parse_number(const std::string& text);

/// Parses a number with an optional suffix B, KiB, MiB or GiB.
std::optional<std::uint64_t> parse_byte_count(const std::string& text);

/// Parses a number or the name of a symbol. Throws UserError whose message begins with `what`.
std::uint64_t parse_address(const std::string& text, const std::string& what, const SourceMap& symbols);

}  // namespace spica::loader
