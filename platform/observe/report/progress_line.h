// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "platform/observe/report/style.h"

namespace spica::report {

/// One terminal line that is rewritten at most ten times a second and erased at the end. It appears only if its work
/// takes longer than two seconds. Writes nothing without a terminal or in a build system (CI in the environment).
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  /// Writes to stderr.
  ProgressLine();
  /// `columns`: width of the terminal, 0 if unknown; longer text is cut.
  ProgressLine(std::ostream& out, const Terminal& terminal, unsigned columns = 0,
               Clock::time_point start = Clock::now())
      : out_(out), enabled_(terminal.is_tty), columns_(columns), start_(start) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows the result of `make_text()`, which is called only when the line is due.
  template <class MakeText>
  void show(MakeText&& make_text, Clock::time_point now = Clock::now()) {
    if (due(now)) write(make_text(), now);
  }
  /// Removes the line, before other output or at the end.
  void clear();

 private:
  bool due(Clock::time_point now) const;
  void write(const std::string& text, Clock::time_point now);

  std::ostream& out_;
  const bool enabled_;
  const unsigned columns_;
  const Clock::time_point start_;
  bool visible_ = false;
  bool ever_ = false;
  Clock::time_point last_;
};

}  // namespace spica::report
