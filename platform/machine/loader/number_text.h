// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// "4096", "0x1000": all of the text or nothing.
std::optional<std::uint64_t> parse_number(const std::string& text);

/// A number with an optional B, KiB, MiB or GiB suffix.
std::optional<std::uint64_t> parse_byte_count(const std::string& text);

/// A number or the name of a symbol. Throws UserError that begins with `what`.
std::uint64_t parse_address(const std::string& text, const std::string& what, const SourceMap& symbols);

}  // namespace spica::loader
