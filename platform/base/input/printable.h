// SPDX-License-Identifier: Apache-2.0
// Makes text from outside printable: names in programs and configurations, paths, arguments.
#pragma once

#include <string>
#include <string_view>

namespace spica::input {

/// A name that is safe on a terminal and in any text file: valid UTF-8 on one line, without control characters. Every
/// other byte becomes \x and two hexadecimal digits ("na\xffme"): bytes that are not UTF-8, control characters (C0,
/// DEL, C1), line separators, marks that change the writing direction, and characters that XML forbids. Applying it
/// twice changes nothing.
std::string printable(std::string_view name);

/// The same for text of several lines: line ends and tabs are kept.
std::string printable_lines(std::string_view text);

/// The original bytes of printable(): each \xNN becomes a byte. (Not exact for a name that itself contained \xNN.)
std::string unprintable(std::string_view name);

/// Number of bytes of the UTF-8 character at the start of `text`; 0 if it is invalid.
std::size_t character_bytes(std::string_view text);

}  // namespace spica::input
