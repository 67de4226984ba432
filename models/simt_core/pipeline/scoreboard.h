// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/isa/instruction.h"
#include "models/simt_core/stall_reason.h"

namespace spica::simt_core {

/// Registers with a pending write, and warps that cannot issue until an event.
///
/// A warp whose next instruction cannot issue is either blocked until the event it waits for, or retried in every
/// cycle. Either way its reason is stored for the cycle accounts.
/// Source   vortex core/VX_scoreboard.sv
class Scoreboard {
 public:
  /// As an awaited row: any write-back. Bit 0 is free, because x0 is never written.
  static constexpr std::uint64_t kAnyCommit = 1;

  /// Those of `warps` that may be tried.
  std::uint32_t unblocked(std::uint32_t warps) const { return warps & ~blocked_; }
  std::uint32_t blocked() const { return blocked_; }
  /// The reason why the next instruction of the warp has not issued.
  IssueReason reason(unsigned warp) const { return reasons_[warp]; }
  /// Instructions of the warp that have issued and not committed.
  unsigned in_flight(unsigned warp) const { return warps_[warp].in_flight; }

  /// True if one of `rows` (one bit each) has a pending write; the warp then waits for all of them.
  bool waits_for(unsigned warp, std::uint64_t rows) {
    const std::uint64_t hazards = rows & warps_[warp].pending;
    if (hazards == 0) return false;
    const auto lowest = static_cast<unsigned>(__builtin_ctzll(hazards));
    block(warp, warps_[warp].producer[lowest], hazards);
    return true;
  }
  /// Blocks the warp until a write-back of `awaited`, if any, or wake().
  void block(unsigned warp, IssueReason reason, std::uint64_t awaited = 0) {
    blocked_ |= 1u << warp;
    warps_[warp].awaited = awaited;
    reasons_[warp] = reason;
  }
  /// The warp is tried again in the next cycle.
  void retry(unsigned warp, IssueReason reason) { reasons_[warp] = reason; }
  /// True if it is blocked for a reason other than a row.
  bool waits_for_others(unsigned warp) const {
    return (blocked_ >> warp & 1) != 0 && warps_[warp].awaited == 0;
  }
  void wake(unsigned warp) { blocked_ &= ~(1u << warp); }
  void wake_all() { blocked_ = 0; }

  /// An instruction issues that writes `rows`.
  void issue(unsigned warp, std::uint64_t rows) {
    warps_[warp].pending |= rows;
    ++warps_[warp].in_flight;
  }
  /// The reason for which dependents of the row wait.
  void produce(unsigned warp, unsigned row, IssueReason reason) { warps_[warp].producer[row] = reason; }
  /// An instruction commits that wrote `rows`.
  void commit(unsigned warp, std::uint64_t rows) {
    Warp& w = warps_[warp];
    w.pending &= ~rows;
    --w.in_flight;
    if (((rows | kAnyCommit) & w.awaited) != 0) wake(warp);
  }

  void reset() { *this = {}; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(blocked_, reasons_, warps_);
  }

 private:
  struct alignas(32) Warp {
    std::uint64_t pending = 0;  // rows with a write under way
    std::uint64_t awaited = 0;  // for a blocked warp: rows whose write-back unblocks it
    std::uint16_t in_flight = 0;
    std::array<IssueReason, isa::kRegisterRows> producer{};  // of the pending rows
  };

  std::uint32_t blocked_ = 0;
  std::array<IssueReason, 32> reasons_ = initial_reasons();
  std::array<Warp, 32> warps_{};

  static constexpr std::array<IssueReason, 32> initial_reasons() {
    std::array<IssueReason, 32> reasons{};
    for (IssueReason& reason : reasons) reason = IssueReason::kFetch;
    return reasons;
  }
};

}  // namespace spica::simt_core
