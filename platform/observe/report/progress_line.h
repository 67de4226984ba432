// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "platform/observe/report/style.h"

namespace spica::report {

/// One line on a terminal that is written over and over, at most ten times a second, and erased at
/// the end. It comes only when its work takes longer than two seconds. Writes nothing at all where there is no terminal
/// or where a machine builds (CI in the environment).
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  /// On stderr.
  ProgressLine();
  /// `columns`: of the terminal, 0 where unknown; a longer text is cut.
  ProgressLine(std::ostream& out, const Terminal& terminal, unsigned columns = 0,
               Clock::time_point start = Clock::now())
      : out_(out), enabled_(terminal.is_tty), columns_(columns), start_(start) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows what `make_text()` returns when it is time for it; otherwise does not call it.
  template <class MakeText>
  void show(MakeText&& make_text, Clock::time_point now = Clock::now()) {
    if (due(now)) write(make_text(), now);
  }
  /// Removes the line, for other output or at the end.
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
