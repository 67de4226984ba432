// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/protocol/guest_fault.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/machine.h"

namespace spica::job {

/// A line for the report of a fault, by the return addresses of its first lane; "" where it has nothing to add.
///   a stack overflow       how many return addresses into each function are on the stack, the outermost function first
///   a fault in the library   the line of the program that called it
std::string stack_calls(soc::Machine& machine, const loader::Program& program,
                        const loader::SourceMap& sources, const protocol::GuestFault& fault);

}  // namespace spica::job
