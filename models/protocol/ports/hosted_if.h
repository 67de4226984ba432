// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/types.h"

namespace spica::protocol {

/// A machine as seen by its host. Implemented by the owner of the machine, called by the host port.
class HostedIf : public virtual sc_core::sc_interface {
 public:
  /// Starts all cores at `entry` in the same cycle.
  virtual void launch(std::uint32_t entry) = 0;
  /// Resets everything except global memory and the host port to the initial state; work in flight is dropped.
  virtual void reset() = 0;
  /// After a fault: no core executes another instruction until reset().
  virtual void halt() = 0;
  /// The cycle in which the program ended with nothing in flight; kNever while it runs.
  virtual base::Cycle ended() const = 0;
  /// While the program runs: the next cycle in which ended() may change.
  virtual base::Cycle look_again() const = 0;
  /// The exit code of a program that has ended: gp of warp 0, lane 0, core 0.
  virtual std::uint32_t exit_code() const = 0;
};

}  // namespace spica::protocol
