// SPDX-License-Identifier: Apache-2.0
// Checks the stacks of lanes for instructions that move a stack pointer out of its stack, in both modes.
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"
#include "models/isa/stacks.h"
#include "models/simt_core/warp/checks.h"

namespace spica::simt_core {

using isa::kStackPointer;
using isa::StackGuard;

/// True if the instruction may move the stack pointer below its stack: call stack_left().
inline bool moves_stack(const isa::Instruction& instruction) {
  return instruction.rd == kStackPointer && instruction.unit <= isa::Unit::kDiv;
}

/// The lanes whose stack pointer was in its stack and is now below it. A pointer that is not derived from the old one
/// and lies in the program's own memory is another stack, not an overflow. `before`, `after`: x2 by lane; `first_hart`:
/// of lane 0.
std::uint32_t stack_left(const StackGuard& guard, const isa::Instruction& instruction,
                         std::uint32_t first_hart, std::uint32_t mask, const std::uint32_t* before,
                         const std::uint32_t* after);

/// The report for `lanes`, as stack_left() gives them.
GuestError lane_stack_overflow(const StackGuard& guard, std::uint32_t first_hart, std::uint32_t lanes,
                               const std::uint32_t* before, const std::uint32_t* after);

}  // namespace spica::simt_core
