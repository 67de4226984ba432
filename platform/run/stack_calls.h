// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/protocol/payload/guest_fault.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/machine.h"

namespace spica::job {

/// A line for a fault report, from the return addresses of the fault's first lane; "" if there is nothing to add.
///   a stack overflow       numbers of return addresses into each function on the stack, outermost function first
///   a fault in the library   the line of the program that called the library
std::string stack_calls(soc::Machine& machine, const loader::Program& program,
                        const loader::SourceMap& sources, const protocol::GuestFault& fault);

}  // namespace spica::job
