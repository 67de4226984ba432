// SPDX-License-Identifier: Apache-2.0
// Text of others that we show: names in programs and configurations, paths, arguments.
#pragma once

#include <string>
#include <string_view>

namespace spica::input {

/// A name as it can be shown on a terminal and in any text file: valid UTF-8 on one line, without
/// control characters. Every byte that is not part of such a character becomes \x and two
/// hexadecimal digits ("na\xffme"): bytes that are not UTF-8, control characters (C0, DEL, C1),
/// line separators, marks that change the direction of writing, and what XML does not allow.
/// A name made printable once stays as it is.
std::string printable(std::string_view name);

/// The same for a text of several lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);

/// The bytes that printable() was given: each \xNN becomes a byte. (Of a name with a \xNN of its
/// own, one that is not the same.)
std::string unprintable(std::string_view name);

/// Bytes at the start of `text` that make one character in UTF-8; 0 when none do.
std::size_t character_bytes(std::string_view text);

}  // namespace spica::input
