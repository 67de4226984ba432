// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/command_front_end.h"

namespace spica::matrix_unit {

CommandFrontEnd::CommandFrontEnd(const MatrixUnitParams& p)
    : expander_(p), depth_(p.command_queue), words_(p.command_queue), queue_(p.rocc_queue) {}

CommandFrontEnd::Taken CommandFrontEnd::command(std::uint32_t word, const Origin& origin) {
  const Expansion expansion = expander_.expand(word);
  if (!expansion.known) return Taken::kUnknown;
  if (!expanding() && words_.empty()) {
    expand({word, origin});
  } else if (words_.full() || depth_ == 0) {
    return Taken::kLost;
  } else {
    words_.push({word, origin});
  }
  running_loops_ += expansion.counted ? 1 : 0;
  return Taken::kYes;
}

void CommandFrontEnd::expand(const Word& word) {
  current_ = expander_.expand(word.word);
  origin_ = word.origin;
  next_ = 0;
}

bool CommandFrontEnd::tick() {
  if (!expanding()) {
    if (words_.empty()) return false;
    expand(words_.pop());
    if (!expanding()) return true;
  }
  if (queue_.full()) return false;
  RoccCommand command = current_.commands[next_++];
  command.origin = origin_;
  queue_.push(command);
  return true;
}

void CommandFrontEnd::reset() {
  words_.clear();
  queue_.clear();
  current_ = {};
  next_ = 0;
  running_loops_ = 0;
}

}  // namespace spica::matrix_unit
