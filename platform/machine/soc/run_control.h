// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/guest_fault.h"
#include "platform/machine/soc/machine.h"

namespace spica::soc {

/// A run that advances in steps: how a debugger drives a machine, in the cycle mode and in the fast mode
/// alike. The run has been started before, and is ended by the code that started it.
class RunControl {
 public:
  /// Why the machine is stopped.
  enum class Rest : std::uint8_t {
    kGoing,       // it need not be: the piece is over, or halt() was called
    kEnded,       // the program has ended
    kFault,       // a guest fault, the last of faults()
    kDeadlock,    // warps still run, and nothing can ever happen again
    kLivelock,    // warps still run, but only spin
    kCycleLimit,  // run.max_cycles reached
  };
  virtual ~RunControl() = default;

  virtual Machine& machine() = 0;
  /// Lets the machine go until cycle `end`, or until it rests for another reason.
  virtual Rest advance(base::Cycle end) = 0;
  /// From a gate or a probe: advance() returns soon.
  virtual void halt() = 0;

  /// All that the rest of the run depends on; while the machine is stopped. Throws UserError when it cannot be saved.
  virtual std::string save() = 0;
  /// Back to where the run has been, or ahead.
  virtual void restore(const std::string& state) = 0;

  /// Faults, warnings and notes so far, in order.
  virtual const std::vector<protocol::GuestFault>& faults() const = 0;
  /// Exit code of the process if the program ended normally now.
  virtual int program_exit_code() = 0;
  /// Why the machine makes no progress, for people, after any rest but kGoing and kEnded.
  virtual std::string explain(Rest rest) = 0;
};

}  // namespace spica::soc
