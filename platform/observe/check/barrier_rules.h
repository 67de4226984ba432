// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "models/protocol/ports/probe_if.h"
#include "platform/observe/check/finding.h"

namespace spica::check {

/// Checks the use of barriers: all warps of a core at one barrier expect the same number of warps, no more than this
/// number arrive, and none arrives with some of its lanes inside a split.
class BarrierRules {
 public:
  explicit BarrierRules(Findings& findings, unsigned warps) : findings_(findings), splits_(warps) {}

  void split(unsigned warp) { splits_[warp].push_back(false); }
  /// The waiting lanes continue, or all lanes reconverge.
  void join(unsigned warp) {
    if (splits_[warp].empty()) return;
    if (splits_[warp].back()) splits_[warp].pop_back();
    else splits_[warp].back() = true;
  }
  void restart(unsigned warp) { splits_[warp].clear(); }

  void arrive(base::Cycle cycle, const protocol::Origin& origin, unsigned warp, unsigned id, unsigned count);
  void release(unsigned core, unsigned id) { open_.erase({core, id}); }
  /// Reports barriers that still wait at the end of the run.
  void end(base::Cycle cycle);

 private:
  struct Open {
    Accessor first;
    unsigned id, count;
    std::vector<Accessor> others;
  };
  Findings& findings_;
  std::vector<std::vector<bool>> splits_;  // by warp: open splits, and whether the second lanes run
  std::map<std::pair<unsigned, unsigned>, Open> open_;
};

}  // namespace spica::check
