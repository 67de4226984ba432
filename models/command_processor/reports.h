// SPDX-License-Identifier: Apache-2.0
// What both modes say of their queues.
#pragma once

#include <iosfwd>
#include <systemc>

#include "models/command_processor/queues.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/origin.h"

namespace spica::command_processor {

inline constexpr protocol::Origin kOrigin{protocol::Origin::Unit::kCommandProcessor, 0, 0, 0, 0, 0};

/// Reports a packet that is wrong, if there is one, as a fault of the program.
void report_problem(Queues& queues, sc_core::sc_port<protocol::FaultIf>& fault, base::Cycle now);

/// Each queue that has packets, a line each.
void describe(std::ostream& out, const char* name, const Queues& queues, std::uint64_t count);

}  // namespace spica::command_processor
