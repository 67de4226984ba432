// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/protocol/guest_fault.h"
#include "platform/loader/source_map.h"
#include "platform/soc/machine.h"

namespace spica::job {

/// Who is called by whom when a stack overflows: how many return addresses into each function are on the stack of the
/// first lane of the fault, the outermost function first. A line for its report; "" for other faults.
std::string stack_calls(soc::Machine& machine, const loader::Program& program,
                        const loader::SourceMap& sources, const protocol::GuestFault& fault);

}  // namespace spica::job
