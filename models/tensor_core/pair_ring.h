// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/types.h"

namespace spica::tensor_core {

/// The step pairs inside a tensor core, from their operands to their write-back. They stay in order, so that
/// a pair stays where it is and its stages are positions in one ring:
///
///   oldest: done (result FIFO) | in the dot-product pipeline | waiting with its operands | room
class PairRing {
 public:
  explicit PairRing(std::uint64_t capacity) {
    while (mask_ + 1 < capacity) mask_ = 2 * mask_ + 1;
    pairs_.resize(mask_ + 1u);
  }

  unsigned done() const { return done_; }
  unsigned computing() const { return computing_; }
  unsigned waiting() const { return waiting_; }
  /// From the operands to the end of the pipeline.
  unsigned under_way() const { return computing_ + waiting_; }

  /// A pair of `warp` has its operands.
  void push(unsigned warp) { at(done_ + computing_ + waiting_++).warp = static_cast<std::uint8_t>(warp); }
  /// The first waiting pair enters the pipeline; it leaves in cycle `leaves`.
  void enter(base::Cycle leaves) {
    at(done_ + computing_++).leaves = leaves;
    --waiting_;
  }
  /// When the first pair in the pipeline leaves it.
  base::Cycle leaves() const { return pairs_[index(done_)].leaves; }
  void leave() {
    ++done_;
    --computing_;
  }
  /// Of the first pair that is done.
  unsigned warp() const { return pairs_[first_].warp; }
  void drop() {
    --done_;
    first_ = done_ + computing_ + waiting_ == 0 ? 0 : index(1);
  }
  void clear() { first_ = done_ = computing_ = waiting_ = 0; }

 private:
  struct Pair {
    base::Cycle leaves = 0;
    std::uint8_t warp = 0;
  };
  unsigned index(unsigned i) const { return (first_ + i) & mask_; }
  Pair& at(unsigned i) { return pairs_[index(i)]; }

  unsigned first_ = 0, done_ = 0, computing_ = 0, waiting_ = 0;
  unsigned mask_ = 0;  // a power of two - 1
  std::vector<Pair> pairs_;
};

}  // namespace spica::tensor_core
