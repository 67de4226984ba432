// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/mma_offload/mma_offload_params.h"

namespace spica::mma_offload {

/// Selects the multiply-adds of warp matrices for the floating-point lanes: every n-th, where the tensor core completes
/// n - 1 in the time of one on the lanes. Dependencies are ignored.
///
/// Source   ho section II.B, algorithm 1
class OffloadRule {
 public:
  explicit OffloadRule(const OffloadParams& params) : params_(params) {}

  /// The number of multiply-add instructions of a warp of `lanes` lanes for an m x n x k operation.
  static unsigned instructions(unsigned m, unsigned n, unsigned k, unsigned lanes) {
    return m * n * k / lanes;
  }
  /// n for an operation with this number of instructions.
  unsigned rate(unsigned instructions) const {
    return 1 + static_cast<unsigned>(instructions * params_.mac_interval / params_.mma_latency);
  }

  /// The next operation. True: it goes to the lanes, which requires that they are free.
  bool next(unsigned instructions, bool lanes_free) {
    if (params_.counter == Counter::kNever) return false;
    const unsigned rate = this->rate(instructions);
    if (is_turn(rate) && lanes_free) {
      count_ = 0;
      return true;
    }
    if (params_.counter == Counter::kCapped) count_ = std::min(count_ + 1, rate - 1);
    else if (count_ < rate) ++count_;
    return false;
  }
  /// Operations counted since the last one on the lanes.
  unsigned count() const { return count_; }
  void reset() { count_ = 0; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(count_);
  }

 private:
  bool is_turn(unsigned rate) const {
    return params_.counter == Counter::kCapped ? count_ + 1 >= rate : count_ + 1 == rate;
  }

  const OffloadParams params_;
  unsigned count_ = 0;
};

}  // namespace spica::mma_offload
