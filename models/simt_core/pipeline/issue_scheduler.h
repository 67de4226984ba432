// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/simt_core/simt_core_params.h"

namespace spica::simt_core {

/// The priority of warps in a core that issues one instruction per cycle. Sets of warps are masks with one bit per
/// warp.
///
/// round_robin   the next one after the last that issued
/// gto           the last one that issued, then the oldest (greedy then oldest)
/// oldest        the oldest
/// Age           counts from the start of a warp; of those that start in the same cycle the lowest is the oldest
/// Source        rogers section 2.1; gpgpu-sim src/gpgpu-sim/shader.cc
class IssueScheduler {
 public:
  explicit IssueScheduler(Scheduler policy) : policy_(policy) {}

  /// Updates the running warps. Call before pick() in each cycle.
  void update(std::uint32_t running) {
    if (running != running_) renew(running);
  }
  /// The member of `warps` (not 0) to try next.
  unsigned pick(std::uint32_t warps) const {
    if (policy_ == Scheduler::kRoundRobin) {
      const std::uint32_t behind = warps & ~((std::uint32_t{2} << last_) - 1);
      return static_cast<unsigned>(__builtin_ctz(behind != 0 ? behind : warps));
    }
    if (policy_ == Scheduler::kGto && (warps >> last_ & 1) != 0) return last_;
    unsigned i = 0;
    while ((warps >> by_age_[i] & 1) == 0) ++i;
    return by_age_[i];
  }
  void issued(unsigned warp) { last_ = warp; }

  void reset() {
    running_ = 0;
    count_ = 0;
    last_ = 31;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(running_, last_, count_, by_age_);
  }

 private:
  void renew(std::uint32_t running) {
    const auto ended = [&](unsigned w) { return (running >> w & 1) == 0; };
    auto* end = std::remove_if(by_age_.begin(), by_age_.begin() + count_, ended);
    for (std::uint32_t started = running & ~running_; started != 0; started &= started - 1)
      *end++ = static_cast<std::uint8_t>(__builtin_ctz(started));
    count_ = static_cast<unsigned>(end - by_age_.begin());
    running_ = running;
  }

  const Scheduler policy_;
  std::uint32_t running_ = 0;
  unsigned last_ = 31;  // the last one that issued
  unsigned count_ = 0;
  std::array<std::uint8_t, 32> by_age_{};  // running warps, the oldest first
};

}  // namespace spica::simt_core
