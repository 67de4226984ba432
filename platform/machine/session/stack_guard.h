// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "models/isa/stacks.h"
#include "platform/machine/loader/program.h"

namespace spica::session {

/// The stacks of the threads of a program, and its own memory, for the check of stack pointers. Empty: the
/// program has no known stacks.
std::optional<isa::StackGuard> stack_guard(const loader::Program& program);

}  // namespace spica::session
