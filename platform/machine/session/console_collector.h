// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <tuple>

#include "models/protocol/payload/origin.h"

namespace spica::session {

struct ConsoleOptions {
  std::uint64_t max_bytes = 16u << 20;  // of guest text; what comes after is counted and dropped
  bool label_lines = false;             // "[core 0 warp 1 lane 2] " in front of each line
  // The sink gets control characters and bytes that are not UTF-8 in printable form: for a terminal,
  // which would obey them. text() has what the program wrote, always.
  bool printable_sink = false;
};

/// Makes lines of the characters that lanes store to the console.
///
/// Every lane has its own line, so that lanes which print in step do not mix their letters. A
/// line goes out when its newline arrives; lines keep the order in which they completed. Zero bytes
/// are dropped: programs format into the print buffer with sprintf, which ends each piece of text
/// with one, and a piece need not be a line.
class ConsoleCollector {
 public:
  /// `sink` receives whole lines as they complete; it may be absent.
  explicit ConsoleCollector(std::ostream* sink = nullptr, const ConsoleOptions& options = {})
      : sink_(sink), options_(options) {}

  /// `count` characters stored by one lane, in address order.
  void put(const protocol::Origin& origin, unsigned lane, const char* characters, unsigned count);
  /// Ends the lines that have no newline yet, by core, warp and lane. Call at the end of a run.
  void flush();

  /// Also passes each line to `listener` as it completes, without its newline.
  void listen(std::function<void(const std::string&)> listener) { listener_ = std::move(listener); }

  /// All lines so far, each with its newline.
  const std::string& text() const { return text_; }
  /// Bytes of the guest that were dropped because there were too many.
  std::uint64_t dropped() const { return dropped_; }
  /// Where the run is. After a step back lines that have gone out do not go out again, as long as they are the same.
  template <class Archive>
  void serialize(Archive& archive) {
    std::string before = text_;
    archive(lines_, text_, accepted_, dropped_);
    for (std::string* known : {&before, &text_})
      if (known->size() > shown_.size()) shown_ = *known;
  }

 private:
  using Source = std::tuple<unsigned, unsigned, unsigned>;  // core, warp, lane
  void emit(const Source& source, std::string& line);
  void write(const std::string& line);
  bool was_shown(const std::string& line);

  std::ostream* const sink_;
  std::function<void(const std::string&)> listener_;
  const ConsoleOptions options_;
  std::map<Source, std::string> lines_;  // incomplete ones; ordered, because flush() shows the order
  std::string text_;
  std::string shown_;  // before a step back, if it was more
  std::uint64_t accepted_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace spica::session

namespace spica::report {

using session::ConsoleCollector, session::ConsoleOptions;  // users' programs have them here since 0.1

}  // namespace spica::report
