// SPDX-License-Identifier: Apache-2.0
#include "platform/report/progress_line.h"

#include <iostream>

namespace spica::report {

namespace {

constexpr std::chrono::milliseconds kInterval{100};
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine() : ProgressLine(std::cerr, detect_terminal(2)) {}

bool ProgressLine::due(Clock::time_point now) const {
  return enabled_ && (!ever_ || now - last_ >= kInterval);
}

void ProgressLine::write(const std::string& text, Clock::time_point now) {
  out_ << kEraseLine << text << std::flush;
  visible_ = ever_ = true;
  last_ = now;
}

void ProgressLine::clear() {
  if (visible_) out_ << kEraseLine << std::flush;
  visible_ = false;
}

}  // namespace spica::report
