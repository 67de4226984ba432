// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/protocol/ports/probe_if.h"
#include "platform/machine/soc/machine.h"

namespace spica::debug {

/// Whether the condition of a breakpoint (an agent expression) holds in an active lane of a warp that is about to
/// execute `event`. `first` is tested first if active, then the highest lane, and so on. `lanes` receives the bit of
/// that lane. A condition that cannot be evaluated counts as true, as in gdb, without a lane.
bool holds(const std::string& condition, soc::Machine& machine, const protocol::InstructionEvent& event,
           unsigned first, std::uint32_t& lanes);

}  // namespace spica::debug
