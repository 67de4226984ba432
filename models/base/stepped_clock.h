// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/types.h"

namespace spica::base {

class ClockDomain;

/// A clock domain whose blocks tick in step() only, whatever the time of SystemC: for blocks that have to work inside
/// of one call, while time does not pass.
class SteppedClock {
 public:
  /// Before the simulation starts. `pace` has the time; both live as long as this.
  SteppedClock(ClockDomain& domain, const ClockDomain& pace);

  /// A step is being executed.
  bool steps() const;
  /// Comes to the cycle of the pace, if that is later. Returns the cycle.
  Cycle begin();
  /// Executes the next cycle in which a block has something to do. False: none has. Passes on what a block throws.
  bool step();
  /// Cycles from `begin` to the last executed cycle; 0 if `begin` has not been executed.
  Cycle passed_since(Cycle begin) const;

 private:
  ClockDomain& domain_;
  const ClockDomain& pace_;
};

}  // namespace spica::base
