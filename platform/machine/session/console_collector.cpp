// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/console_collector.h"

#include <fmt/format.h>

#include <ostream>
#include <string_view>

#include "platform/base/input/printable.h"

namespace spica::session {

void ConsoleCollector::put(const protocol::Origin& origin, unsigned lane, const char* characters,
                           unsigned count) {
  const Source source{origin.core, origin.warp, lane};
  std::string& line = lines_[source];
  for (unsigned i = 0; i < count; ++i) {
    const char character = characters[i];
    if (character == '\0') continue;
    if (accepted_ == options_.max_bytes) {
      if (dropped_++ == 0)
        write(fmt::format("[console: more than {} bytes, the rest was dropped]", options_.max_bytes));
      continue;
    }
    ++accepted_;
    if (character == '\n') emit(source, line);
    else line += character;
  }
}

void ConsoleCollector::flush() {
  for (auto& [source, line] : lines_)
    if (!line.empty()) emit(source, line);
}

void ConsoleCollector::emit(const Source& source, std::string& line) {
  if (options_.label_lines) {
    const auto& [core, warp, lane] = source;
    line.insert(0, fmt::format("[core {} warp {} lane {}] ", core, warp, lane));
  }
  write(line);
  line.clear();
}

/// The line, which is the last of the text, was printed before.
bool ConsoleCollector::was_shown(const std::string& line) {
  if (shown_.empty()) return false;
  const std::size_t begin = text_.size() - line.size() - 1;
  const bool same = shown_.compare(begin, line.size() + 1, text_, begin) == 0;
  if (!same || text_.size() >= shown_.size()) shown_.clear();
  return same;
}

void ConsoleCollector::write(const std::string& line) {
  text_ += line;
  text_ += '\n';
  if (was_shown(line)) return;
  if (listener_) listener_(line);
  if (sink_ == nullptr) return;
  if (options_.printable_sink) {
    const bool carriage = !line.empty() && line.back() == '\r';  // half of the line end of some programs
    *sink_ << input::printable_lines(std::string_view(line).substr(0, line.size() - (carriage ? 1 : 0)));
  } else {
    *sink_ << line;
  }
  *sink_ << '\n' << std::flush;
}

}  // namespace spica::session
