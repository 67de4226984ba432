// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/payload/guest_fault.h"
#include "platform/machine/loader/program.h"

namespace spica::session {

/// Names a fault by an ebreak of the library's assert() or abort() accordingly; returns other faults unchanged.
protocol::GuestFault named(const protocol::GuestFault& fault, const loader::Program& program);

}  // namespace spica::session
