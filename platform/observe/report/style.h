// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spica::report {

/// The capabilities of an output.
struct Terminal {
  bool is_tty = false;
  bool color = false;
  bool utf8 = false;
};

/// Determined from a file descriptor (1 stdout, 2 stderr) and the environment. Color only on a terminal that is not
/// "dumb", and never when NO_COLOR is set; UTF-8 according to the locale variables.
Terminal detect_terminal(int descriptor);

/// The same from given values; nullptr: the environment variable is not set.
Terminal terminal_from(bool is_tty, const char* term, const char* no_color, const char* lc_all,
                       const char* lc_ctype, const char* lang);

enum class Color { kBold, kDim, kRed, kGreen, kYellow };

/// The text in a color, or unchanged on outputs without colors.
std::string colored(const std::string& text, Color color, const Terminal& terminal = detect_terminal(1));

/// A bar of `width` characters, filled from the left by `ratio` (0..1, clamped). UTF-8 has eighths
/// of a character, ASCII uses '#' and '.'.
std::string bar(double ratio, unsigned width, const Terminal& terminal);

}  // namespace spica::report
