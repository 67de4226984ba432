// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/protocol/payload/payload_pool.h"

namespace spica::shared_memory {

/// Answers for the lanes of one core with independent lanes. The core accepts those of one access per cycle: that of
/// the lowest lane with an answer (vortex libs/VX_mem_rsp_sel.sv). The answers of a lane stay in order.
class LaneAnswers {
 public:
  /// Lanes of an access that were served together.
  struct Group {
    protocol::Payload* payload = nullptr;
    protocol::WarpAccess* access = nullptr;
    std::uint32_t lanes = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(payload, lanes);
      access = payload != nullptr ? protocol::access_of(*payload) : nullptr;
    }
  };

  bool empty() const { return groups_.empty(); }
  void add(const Group& group) { groups_.push_back(group); }
  /// The answer accepted in this cycle; requires one.
  Group take() {
    if (groups_.size() == 1) {
      const Group only = groups_.front();
      groups_.clear();
      return only;
    }
    return choose();
  }
  /// Waiting answers.
  const std::vector<Group>& waiting() const { return groups_; }
  void clear() { groups_.clear(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(groups_);
  }

 private:
  Group choose() {
    Group taken;
    std::uint32_t earlier = 0;  // lanes with an older answer
    std::uint32_t lowest = ~std::uint32_t{0};
    for (const Group& group : groups_) {
      const std::uint32_t first = group.lanes & ~earlier;
      earlier |= group.lanes;
      if ((first & (~first + 1)) - 1 >= lowest) continue;  // 0 - 1 is the largest number
      lowest = (first & (~first + 1)) - 1;
      taken.payload = group.payload;
      taken.access = group.access;
    }
    earlier = 0;
    for (Group& group : groups_) {
      const std::uint32_t first = group.lanes & ~earlier;
      earlier |= group.lanes;
      if (group.payload != taken.payload) continue;
      taken.lanes |= first;
      group.lanes &= ~first;
    }
    groups_.erase(
        std::remove_if(groups_.begin(), groups_.end(), [](const Group& group) { return group.lanes == 0; }),
        groups_.end());
    return taken;
  }

  std::vector<Group> groups_;  // in the order in which they were served
};

}  // namespace spica::shared_memory
