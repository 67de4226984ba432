// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/types.h"

namespace spica::simt_core {

/// The fences in a memory queue. One at the head leaves `latency` cycles after the last answer to an earlier access.
class Fences {
 public:
  explicit Fences(std::uint64_t latency) : latency_(latency) {}

  bool any() const { return count_ != 0; }
  void enter() { ++count_; }
  void leave() { --count_; }
  /// An answer arrived in cycle `now`; only relevant while there is a fence.
  void answered(base::Cycle now) {
    if (count_ != 0) answered_ = now;
  }
  /// The first cycle in which a fence whose earlier accesses are complete leaves.
  base::Cycle due() const { return answered_ + latency_; }
  void reset() {
    count_ = 0;
    answered_ = 0;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(count_, answered_);
  }

 private:
  const std::uint64_t latency_;
  unsigned count_ = 0;
  base::Cycle answered_ = 0;
};

}  // namespace spica::simt_core
