// SPDX-License-Identifier: Apache-2.0
// Support for file paths with arbitrary bytes as values. YAML allows only Unicode characters, and its parser takes some
// control characters for the end of the text.
#pragma once

#include <string>
#include <string_view>

namespace spica::config {

/// Prepares text for the parser: bytes not allowed in YAML (not UTF-8, or control characters other than tab and line
/// ends) become private Unicode characters, U+10FE00 and up. UTF-16 text, which the parser detects by its first bytes,
/// is unchanged.
std::string yaml_characters(std::string_view text);

/// Converts those characters of a scalar back to the original bytes.
std::string original_bytes(std::string_view scalar);

/// Quotes any text so that YAML reads the same text: "power.table=" + quoted_value(path).
std::string quoted_value(std::string_view text);

}  // namespace spica::config
