// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/protocol/ports/tensor_if.h"

namespace spica::tensor_core {

/// The step pairs inside a tensor core, from their operands to their write-back. Pairs stay in order, so the stages are
/// sections of one queue:
///
///   oldest: done (result FIFO) | in the dot-product pipeline | waiting with its operands | room
class StepPairs {
 public:
  explicit StepPairs(std::size_t capacity) : pairs_(capacity) {}

  unsigned done() const { return done_; }
  unsigned computing() const { return computing_; }
  unsigned waiting() const { return waiting_; }
  /// Pairs from the operands to the end of the pipeline.
  unsigned under_way() const { return computing_ + waiting_; }

  /// A pair has its operands; `second`: the result of its second half.
  void push(const protocol::TensorResult& second) {
    Pair& pair = pairs_.append();
    pair.row = second;
    --pair.row.result;
    pair.row.last = false;
    pair.last = second.last;
    ++waiting_;
  }
  /// The first waiting pair enters the pipeline; it leaves in cycle `leaves`.
  void enter(base::Cycle leaves) {
    pairs_[done_ + computing_++].leaves = leaves;
    --waiting_;
  }
  /// The cycle in which the first pair in the pipeline leaves it.
  base::Cycle leaves() const { return pairs_[done_].leaves; }
  void leave() {
    ++done_;
    --computing_;
  }
  /// The next row of the first completed pair.
  const protocol::TensorResult& row() const { return pairs_.front().row; }
  /// The row has been written back.
  void drop_row() {
    second_row_ = !second_row_;
    if (second_row_) {
      Pair& pair = pairs_.front();
      ++pair.row.result;
      pair.row.last = pair.last;
    } else {
      pairs_.drop();
      --done_;
    }
  }
  void clear() {
    pairs_.clear();
    done_ = computing_ = waiting_ = 0;
    second_row_ = false;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(pairs_, done_, computing_, waiting_, second_row_);
  }

 private:
  struct Pair {
    base::Cycle leaves = 0;
    protocol::TensorResult row;  // the first half's, then the second half's
    bool last = false;  // last of the second half
  };

  base::BoundedQueue<Pair> pairs_;
  unsigned done_ = 0, computing_ = 0, waiting_ = 0;
  bool second_row_ = false;  // the first row of the first pair is written back
};

}  // namespace spica::tensor_core
