// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/protocol/payload/payload_pool.h"

namespace spica::simt_core {

/// Accesses to global memory of which some lanes have left the load/store unit while others wait for older accesses
/// that shared memory has not accepted.
///
/// Shape    each lane has a buffer of two, and an access enters when the one before it has entered on all lanes; lanes
///          are therefore at most three accesses apart (vortex libs/VX_mem_scheduler.sv)
class LaneBuffers {
 public:
  static constexpr unsigned kApart = 3;

  struct Entry {
    protocol::WarpPayload* payload = nullptr;
    unsigned slot = 0;
    std::uint32_t lanes = 0;  // that wait
  };

  bool empty() const { return lanes_ == 0; }
  std::size_t size() const { return entries_.size(); }
  /// Lanes that wait in any access.
  std::uint32_t lanes() const { return lanes_; }
  const std::vector<Entry>& entries() const { return entries_; }

  void enter(protocol::WarpPayload& payload, unsigned slot) {
    entries_.push_back({&payload, slot, payload.access.mask});
    lanes_ |= payload.access.mask;
  }
  /// Tries the oldest access of each lane that is not in `busy`: calls `send(entry, lanes)` for accesses with such
  /// lanes, oldest first, until it returns false. Returns the lanes sent.
  template <class Send>
  std::uint32_t drain(std::uint32_t busy, Send&& send) {
    std::uint32_t left = 0, older = busy;
    lanes_ = 0;
    for (Entry& entry : entries_) {
      const std::uint32_t turn = entry.lanes & ~older;
      older |= entry.lanes;
      if (turn != 0) {
        if (send(entry, turn)) {
          entry.lanes &= ~turn;
          left |= turn;
        } else {
          older = ~std::uint32_t{0};
        }
      }
      lanes_ |= entry.lanes;
    }
    entries_.erase(
        std::remove_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.lanes == 0; }),
        entries_.end());
    return left;
  }
  void clear() {
    entries_.clear();
    lanes_ = 0;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(entries_, lanes_);
  }

 private:
  std::vector<Entry> entries_;  // oldest first
  std::uint32_t lanes_ = 0;
};

}  // namespace spica::simt_core
