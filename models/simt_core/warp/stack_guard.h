// SPDX-License-Identifier: Apache-2.0
// Stacks of the lanes, and instructions that move a stack pointer out of its own, in both modes.
#pragma once

#include <cstdint>

#include "models/isa/instruction.h"
#include "models/simt_core/warp/checks.h"

namespace spica::simt_core {

/// The row of the stack pointer, x2.
inline constexpr std::uint8_t kStackPointer = 2;

/// Where a program has the stacks of its harts; they grow down. Hart h owns [begin(h), end(h)).
struct StackGuard {
  std::uint32_t top = 0;  // end of the stack of hart 0
  std::uint32_t stride = 0;  // from a stack down to that of the next hart
  std::uint32_t bytes = 0;  // of one stack; 0: unknown, nothing is checked
  std::uint32_t own_begin = 0,
                own_end = 0;  // what the program loads, and its heap: it may have other stacks there

  bool known() const { return bytes != 0; }
  std::uint32_t end(std::uint32_t hart) const { return top - hart * stride; }
  std::uint32_t begin(std::uint32_t hart) const { return end(hart) - bytes; }
};

/// The instruction may move the stack pointer below the stack it is in: to be checked by stack_left().
inline bool moves_stack(const isa::Instruction& instruction) {
  return instruction.rd == kStackPointer && instruction.unit <= isa::Unit::kDiv;
}

/// Lanes whose stack pointer was in their stack and is below it now. A pointer that does not come from the old one
/// and lies in the program's own memory is another stack, no overflow. `before`, `after`: x2 by lane;
/// `first_hart`: of lane 0.
std::uint32_t stack_left(const StackGuard& guard, const isa::Instruction& instruction,
                         std::uint32_t first_hart, std::uint32_t mask, const std::uint32_t* before,
                         const std::uint32_t* after);

/// The report for `lanes`, as stack_left() gives them.
Mistake lane_stack_overflow(const StackGuard& guard, std::uint32_t first_hart, std::uint32_t lanes,
                            const std::uint32_t* before, const std::uint32_t* after);

}  // namespace spica::simt_core
