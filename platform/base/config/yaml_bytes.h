// SPDX-License-Identifier: Apache-2.0
// A value may be the path of a file, which may have any bytes; YAML has Unicode characters only, and
// its parser takes some control characters for the end of the text.
#pragma once

#include <string>
#include <string_view>

namespace spica::config {

/// The text for the parser: bytes that YAML does not have (not UTF-8, control characters other than
/// tab and line ends) become private characters of Unicode, U+10FE00 and up.
/// Text in UTF-16, which the parser knows by its first bytes, stays as it is.
std::string yaml_characters(std::string_view text);

/// Those characters of a scalar as the bytes they were.
std::string original_bytes(std::string_view scalar);

/// Any text as a value in quotes that reads as this text: "power.table=" + quoted_value(path).
std::string quoted_value(std::string_view text);

}  // namespace spica::config
