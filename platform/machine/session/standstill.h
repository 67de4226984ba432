// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/types.h"
#include "platform/machine/soc/machine.h"

namespace spica::session {

/// Detects that a machine has stopped although events are pending.
///
/// A user-supplied module may answer late. One that only ticks, like a clock, never does. Blocks of Spica plan only
/// events that will happen, such as answers of a slow memory that takes one request at a time.
class Standstill {
 public:
  /// True if neither warps nor units have done anything for `run.hang_cycles` before `now`. Call now and then.
  /// `own_plans`: the pending events are of blocks of Spica only, and count as progress.
  bool lasts(soc::Machine& machine, base::Cycle now, bool own_plans);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(instructions_, work_, idle_since_);
  }

 private:
  std::uint64_t instructions_ = 0, work_ = 0;  // counts of warps and of units at the last call
  base::Cycle idle_since_ = 0;  // neither count has grown since
};

}  // namespace spica::session
