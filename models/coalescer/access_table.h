// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/payload_pool.h"

namespace spica::coalescer {

/// The warp accesses that have begun and are not done.
class AccessTable {
 public:
  static constexpr unsigned kNone = ~0u;

  struct Access {
    protocol::WarpPayload* payload = nullptr;
    std::uint32_t parts = 0;  // requests in flight
    bool sent = false;        // all its requests have been sent
    bool row = false;         // see LaneGroups::is_row()
  };

  /// `most` at once.
  explicit AccessTable(std::size_t most) : accesses_(most) {
    free_.reserve(most);
    clear();
  }

  /// A place for another one.
  unsigned begin(protocol::WarpPayload& payload) {
    const unsigned slot = free_.back();
    free_.pop_back();
    accesses_[slot] = {&payload, 0, false, false};
    return slot;
  }
  Access& operator[](unsigned slot) { return accesses_[slot]; }
  const Access& operator[](unsigned slot) const { return accesses_[slot]; }
  void end(unsigned slot) { free_.push_back(slot); }
  void clear() {
    free_.clear();
    for (unsigned slot = 0; slot < accesses_.size(); ++slot) free_.push_back(slot);
  }

 private:
  std::vector<Access> accesses_;
  std::vector<unsigned> free_;
};

}  // namespace spica::coalescer
