// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/soc/run_observer.h"

namespace spica::session {

/// Finds hangs of a program while its session runs. Implemented by watchdog::HangWatch.
class HangFinder : public soc::RunObserver {
 public:
  /// True if a hang was found since forget().
  virtual bool found() const = 0;
  /// The run continues nevertheless: a debugger may help the program.
  virtual void forget() = 0;
  /// The run continues from `cycle`, earlier or later.
  virtual void restart(base::Cycle cycle) = 0;
  /// Starts a last look at once; returns its length in cycles.
  virtual base::Cycle look_now(base::Cycle cycle) = 0;
};

}  // namespace spica::session
