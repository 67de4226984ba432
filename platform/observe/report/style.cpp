// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/style.h"

#include <fmt/format.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace spica::report {

namespace {

bool is_set(const char* value) { return value != nullptr && *value != '\0'; }

bool names_utf8(const char* locale) {
  const char* dot = std::strchr(locale, '.');
  return dot != nullptr && (strncasecmp(dot + 1, "utf-8", 5) == 0 || strncasecmp(dot + 1, "utf8", 4) == 0);
}

}  // namespace

Terminal detect_terminal(int descriptor) {
  return terminal_from(isatty(descriptor) == 1, std::getenv("TERM"), std::getenv("NO_COLOR"),
                       std::getenv("LC_ALL"), std::getenv("LC_CTYPE"), std::getenv("LANG"));
}

Terminal terminal_from(bool is_tty, const char* term, const char* no_color, const char* lc_all,
                       const char* lc_ctype, const char* lang) {
  Terminal result;
  result.is_tty = is_tty;
  const bool dumb = !is_set(term) || std::strcmp(term, "dumb") == 0;
  result.color = is_tty && !dumb && !is_set(no_color);
  // The first one that is set decides, as in POSIX.
  const char* locale = is_set(lc_all) ? lc_all : is_set(lc_ctype) ? lc_ctype : lang;
  result.utf8 = is_set(locale) && names_utf8(locale);
  return result;
}

std::string colored(const std::string& text, Color color, const Terminal& terminal) {
  if (!terminal.color) return text;
  const auto code = [color] {
    switch (color) {
      case Color::kBold: return 1;
      case Color::kDim: return 2;
      case Color::kRed: return 31;
      case Color::kGreen: return 32;
      case Color::kYellow: return 33;
    }
    return 0;
  };
  return fmt::format("\x1b[{}m{}\x1b[0m", code(), text);
}

std::string bar(double ratio, unsigned width, const Terminal& terminal) {
  const double filled = std::clamp(std::isnan(ratio) ? 0 : ratio, 0.0, 1.0) * width;
  std::string text;
  if (!terminal.utf8) {
    const auto full = static_cast<unsigned>(std::lround(filled));
    return std::string(full, '#') + std::string(width - full, '.');
  }
  static constexpr const char* kEighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  const auto eighths = static_cast<unsigned>(std::lround(filled * 8));
  for (unsigned i = 0; i < width; ++i) text += kEighths[std::min(8u, eighths - std::min(eighths, 8 * i))];
  return text;
}

}  // namespace spica::report
