// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace spica::report {

namespace {

constexpr std::chrono::milliseconds kInterval{100};
constexpr std::chrono::seconds kSilence{2};
constexpr const char* kEraseLine = "\r\x1b[K";

Terminal watched_terminal() {
  Terminal terminal = detect_terminal(STDERR_FILENO);
  const char* automatic = std::getenv("CI");
  terminal.is_tty &= automatic == nullptr || *automatic == '\0';
  return terminal;
}

unsigned columns_of(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

ProgressLine::ProgressLine() : ProgressLine(std::cerr, watched_terminal(), columns_of(STDERR_FILENO)) {}

bool ProgressLine::due(Clock::time_point now) const {
  return enabled_ && now - start_ >= kSilence && (!ever_ || now - last_ >= kInterval);
}

void ProgressLine::write(const std::string& text, Clock::time_point now) {
  // A line that wraps could not be erased.
  out_ << kEraseLine << (columns_ != 0 ? text.substr(0, columns_ - 1) : text) << std::flush;
  visible_ = ever_ = true;
  last_ = now;
}

void ProgressLine::clear() {
  if (visible_) out_ << kEraseLine << std::flush;
  visible_ = false;
}

}  // namespace spica::report
