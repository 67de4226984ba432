// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/protocol/probe_if.h"
#include "platform/machine/soc/machine.h"

namespace spica::debug {

/// Whether the condition of a breakpoint (an agent expression) holds in one of the active lanes of
/// a warp that is about to execute `event`; `first` is asked first when it is active, then the
/// highest lane, and so on. `lanes` gets the bit of the one in which it holds. A condition that
/// cannot be evaluated counts as true, as in gdb, and of no lane.
bool holds(const std::string& condition, soc::Machine& machine, const protocol::InstructionEvent& event,
           unsigned first, std::uint32_t& lanes);

}  // namespace spica::debug
