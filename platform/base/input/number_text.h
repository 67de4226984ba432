// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace spica::input {

/// Parses "4096" or "0x1000"; empty unless the whole text is a number.
std::optional<std::uint64_t> parse_number(const std::string& text);

/// Parses a number with an optional suffix B, KiB, MiB or GiB.
std::optional<std::uint64_t> parse_byte_count(const std::string& text);

}  // namespace spica::input
