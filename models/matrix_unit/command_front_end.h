// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/bounded_queue.h"
#include "models/matrix_unit/cisc_expander.h"
#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// The command inputs: words of CSR 0xACC are queued and expanded, one RoCC command per cycle, into the RoCC queue.
/// Commands launched by a store to the MMIO block enter the same queue when no expansion is in progress.
class CommandFrontEnd {
 public:
  enum class Taken : std::uint8_t { kYes, kLost, kUnknown };

  explicit CommandFrontEnd(const MatrixUnitParams& params);

  /// Takes a word written to CSR 0xACC, bits 7:5 cleared. kLost: another word is being expanded and the queue is full.
  Taken command(std::uint32_t word, const Origin& origin);
  /// False while a word is being expanded or the RoCC queue is full: the store is held.
  bool can_launch() const { return !expanding() && words_.empty() && !queue_.full(); }
  void launch(const RoccCommand& command) { queue_.push(command); }
  /// One cycle of expansion; true if something moved.
  bool tick();

  bool empty() const { return queue_.empty(); }
  const RoccCommand& front() const { return queue_.front(); }
  void pop() { queue_.pop(); }

  /// Incomplete loops that were counted when their word arrived (register 0x28, hexadecile only). UNCERTAIN: the end of
  /// a loop that was not counted does not take the counter below 0.
  std::uint32_t running_loops() const { return running_loops_; }
  void loop_completed() { running_loops_ -= running_loops_ != 0 ? 1 : 0; }

  bool idle() const { return !expanding() && words_.empty() && queue_.empty(); }
  void reset();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(words_, queue_, current_, origin_, next_, running_loops_);
  }

 private:
  struct Word {
    std::uint32_t word = 0;
    Origin origin{};
  };
  bool expanding() const { return next_ < current_.count; }
  void expand(const Word& word);

  const CiscExpander expander_;
  const std::uint64_t depth_;
  base::BoundedQueue<Word> words_;
  base::BoundedQueue<RoccCommand> queue_;
  Expansion current_{};
  Origin origin_{};
  unsigned next_ = 0;
  std::uint32_t running_loops_ = 0;
};

}  // namespace spica::matrix_unit
