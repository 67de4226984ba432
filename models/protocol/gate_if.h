// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/probe_if.h"

namespace spica::protocol {

/// Decides, instruction by instruction, whether a warp continues: how a debugger stops a machine. A core
/// without a gate does not ask.
class GateIf {
 public:
  virtual ~GateIf() = default;
  /// The instruction is the warp's next one; nothing of it has happened, and everything before it in its warp
  /// is done and can be seen in its registers. False: the warp stays before it, and asks again at the latest
  /// when the gate is set anew. True need not be the last word: a warp whose unit has no room asks again.
  virtual bool may_issue(const InstructionEvent& event) = 0;
};

}  // namespace spica::protocol
