// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "models/base/stats.h"
#include "models/matrix_unit/matrix_unit_stats.h"

namespace spica::matrix_unit {

/// Charges each cycle to an Activity. While the array is fed, its cycles are charged only when a pass is over: its
/// steps are taken as the last cycles, and those between it and the previous pass as waiting for operands.
class ActivityAccount {
 public:
  explicit ActivityAccount(base::CycleAccount& account) : account_(account) {}

  /// A pass of `steps` steps had its last step in cycle `now`.
  void pass_over(Activity activity, base::Cycle steps, base::Cycle now) {
    const base::Cycle first = now + 1 - steps;
    if (first > last_step_ + 1) charge_from(Activity::kOperandWait, last_step_ + 1);
    charge_from(activity, first);
    last_step_ = now;
  }
  /// Charges from cycle `now` on; only while the array is not fed.
  void charge(Activity activity, base::Cycle now) { account_.charge(static_cast<unsigned>(activity), now); }
  void reset(base::Cycle now) {
    last_step_ = now;
    charge(Activity::kIdle, now);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(last_step_);
  }

 private:
  void charge_from(Activity activity, base::Cycle cycle) {
    charge(activity, std::max(cycle, account_.since()));
  }

  base::CycleAccount& account_;
  base::Cycle last_step_ = 0;
};

}  // namespace spica::matrix_unit
