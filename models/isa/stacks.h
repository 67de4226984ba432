// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::isa {

/// The row of the stack pointer, x2.
inline constexpr std::uint8_t kStackPointer = 2;
/// The row of the frame pointer, x8, in functions that use one.
inline constexpr std::uint8_t kFramePointer = 8;

/// Placement of the stacks of all harts; they grow down. Hart h owns [begin(h), end(h)).
struct StackGuard {
  std::uint32_t top = 0;  // end of the stack of hart 0
  std::uint32_t stride = 0;  // distance from a stack down to that of the next hart
  std::uint32_t bytes = 0;  // size of one stack; 0: unknown, nothing is checked
  std::uint32_t own_begin = 0,
                own_end = 0;  // range of the program and its heap, which may contain other stacks

  bool known() const { return bytes != 0; }
  std::uint32_t end(std::uint32_t hart) const { return top - hart * stride; }
  std::uint32_t begin(std::uint32_t hart) const { return end(hart) - bytes; }
};

}  // namespace spica::isa
