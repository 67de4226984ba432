// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/payload/guest_fault.h"
#include "platform/machine/soc/machine.h"

namespace spica::soc {

/// A run that advances in steps, for debuggers in both modes. The code that started the run also ends it.
class RunControl {
 public:
  /// The reason why the machine has stopped.
  enum class RunState : std::uint8_t {
    kGoing,       // not a reason of the machine: the step is over, or halt() was called
    kEnded,       // the program has ended
    kFault,       // a guest fault, the last of faults()
    kDeadlock,    // warps run, but no event can ever happen again
    kLivelock,    // warps run, but only spin
    kCycleLimit,  // run.max_cycles reached
  };
  virtual ~RunControl() = default;

  virtual Machine& machine() = 0;
  /// Runs until cycle `end`, or until the machine stops for another reason.
  virtual RunState advance(base::Cycle end) = 0;
  /// Makes advance() return soon. Call from a gate or a probe.
  virtual void halt() = 0;

  /// Saves all state that the rest of the run depends on, while the machine is stopped. Throws UserError if it cannot
  /// be saved.
  virtual std::string save() = 0;
  /// Restores an earlier or later state of the run.
  virtual void restore(const std::string& state) = 0;

  /// Faults, warnings and notes so far, in order.
  virtual const std::vector<protocol::GuestFault>& faults() const = 0;
  /// Exit code of the process if the program ended now.
  virtual int program_exit_code() = 0;
};

}  // namespace spica::soc
