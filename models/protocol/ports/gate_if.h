// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/ports/probe_if.h"

namespace spica::protocol {

/// Decides for each instruction whether a warp continues. A debugger stops a machine with it. A core without a gate
/// does not call it.
class GateIf {
 public:
  virtual ~GateIf() = default;
  /// Called before the warp's next instruction: nothing of it has happened, and the registers show the effects of
  /// everything before it in its warp. False: the warp stops before it and asks again, at the latest when the gate is
  /// replaced. After true, the same instruction may be asked again if its unit has no room.
  virtual bool may_issue(const InstructionEvent& event) = 0;
};

}  // namespace spica::protocol
