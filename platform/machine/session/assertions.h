// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/guest_fault.h"
#include "platform/machine/loader/program.h"

namespace spica::session {

/// A fault by an ebreak that belongs to assert() or abort() of the library is named after it; others are as they were.
protocol::GuestFault named(const protocol::GuestFault& fault, const loader::Program& program);

}  // namespace spica::session
