// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/stats.h"
#include "models/base/types.h"

namespace spica::base {

/// Cycles that a block spends without a tick. They are charged to its account at its next tick or when its counters are
/// read. Call in order of time.
class LateCycles {
 public:
  /// Records `cycle`, which is now or later, as spent.
  void spend(Cycle cycle) {
    ++pending_;
    last_ = cycle;
  }
  bool pending() const { return pending_ != 0; }
  /// Charges recorded cycles before `now` to `reason`.
  void settle(CycleAccount& account, unsigned reason, Cycle now) {
    const Cycle ahead = pending_ != 0 && last_ >= now ? 1 : 0;
    account.spend(reason, pending_ - ahead);
    pending_ = ahead;
  }
  void clear() { pending_ = 0; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(pending_, last_);
  }

 private:
  Cycle pending_ = 0;
  Cycle last_ = 0;
};

}  // namespace spica::base
