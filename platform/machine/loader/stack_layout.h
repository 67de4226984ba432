// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "platform/machine/loader/elf_notes.h"
#include "platform/machine/loader/program.h"

namespace spica::loader {

/// The stacks that our start-up code gives (sw/lib/start.S).
inline constexpr StackLayout kOwnStacks{0xFF00'0000, 8208, 8192};

/// The stacks of all harts, from the program's notes; otherwise from its start-up code, if that is the published one or
/// ours (sp = 0xFF000000 - mhartid * 8192, or * 8208). Empty for any other.
std::optional<StackLayout> stack_layout(const Program& program);

/// Gives the program stacks that are `stride` bytes apart, by the shifts that its notes name. False, and no change: it
/// has no such notes, or `stride` is not 2^n + 16.
bool place_stacks(Program& program, std::uint64_t stride);

/// True if some instruction of the program allocates on a stack: addi sp, sp, -n.
bool uses_stack(const Program& program);

}  // namespace spica::loader
