// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/types.h"

namespace spica::protocol {

/// A machine as its host sees it. Implemented by who puts the machine together, called by the host port.
class HostedIf : public virtual sc_core::sc_interface {
 public:
  /// Starts all cores at `entry` in the same cycle.
  virtual void launch(std::uint32_t entry) = 0;
  /// Everything but global memory and the host port is as it was built; work in flight is dropped.
  virtual void reset() = 0;
  /// After a fault: no core executes another instruction until reset().
  virtual void halt() = 0;
  /// The cycle from which on the program has ended and nothing is under way; kNever while it runs.
  virtual base::Cycle ended() const = 0;
  /// While it runs: the cycle in which ended() may have another answer.
  virtual base::Cycle look_again() const = 0;
  /// What the program that has ended says of itself: gp of warp 0, lane 0, core 0.
  virtual std::uint32_t exit_code() const = 0;
};

}  // namespace spica::protocol
