// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace spica::simt_core {

/// Incomplete memory accesses of each warp: a load or atomic until all lanes have been answered; a store until its
/// acknowledge, which its L1, shared-memory bank or peripheral register sends when or after the store takes effect; a
/// fence until it has left its queue.
class PendingAccesses {
 public:
  /// `on_wait`: called with a warp that begins to wait. `on_quiet`: called with a waiting warp when its last access is
  /// complete.
  PendingAccesses(std::function<void(unsigned warp)> on_wait, std::function<void(unsigned warp)> on_quiet)
      : on_wait_(std::move(on_wait)), on_quiet_(std::move(on_quiet)) {}

  void begin(unsigned warp) { ++count_[warp]; }
  void end(unsigned warp) {
    const std::uint32_t bit = 1u << warp;
    if (--count_[warp] != 0 || (awaited_ & bit) == 0) return;
    awaited_ &= ~bit;
    on_quiet_(warp);
  }
  /// True if an access of the warp is incomplete; the warp then waits for on_quiet().
  bool waits_for(unsigned warp) {
    if (count_[warp] == 0) return false;
    on_wait_(warp);
    awaited_ |= 1u << warp;
    return true;
  }
  void reset() {
    count_.fill(0);
    awaited_ = 0;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(count_, awaited_);
  }

 private:
  std::array<std::uint16_t, 32> count_{};
  std::uint32_t awaited_ = 0;  // warps that wait for their count to become 0
  const std::function<void(unsigned)> on_wait_, on_quiet_;
};

}  // namespace spica::simt_core
