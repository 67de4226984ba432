// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "models/base/types.h"

namespace spica::watchdog {

/// Tells a program that works from one that only spins, by sampling.
///
/// A warp that computes keeps reaching states (pc, mask, registers) it was never in before: some counter
/// or address moves on. A warp that polls a flag which never comes runs through the same few states for
/// ever. When no running warp has shown a new state, and nothing else in the machine has moved, for
/// `patience` cycles, the program is in a live-lock.
class ProgressMonitor {
 public:
  explicit ProgressMonitor(base::Cycle patience) : patience_(patience) {}

  /// One running warp as seen at the moment of a sample.
  struct WarpState {
    unsigned warp;        // number over the whole machine
    std::uint64_t state;  // hash of everything the guest can tell apart
  };

  /// Takes a sample at `now`. `work` is a count that grows whenever a unit or a store does something.
  /// Returns true when the patience has run out.
  bool sample(base::Cycle now, std::uint64_t work, const std::vector<WarpState>& running);

  base::Cycle last_progress() const { return last_progress_; }

 private:
  base::Cycle patience_;
  base::Cycle last_progress_ = 0;
  std::uint64_t work_ = ~std::uint64_t{0};
  std::vector<std::unordered_set<std::uint64_t>> seen_;  // states by warp since the last progress
};

}  // namespace spica::watchdog
