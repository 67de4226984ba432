// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

struct Elf;  // libelf

namespace spica::loader {

/// Bytes of stack of a function, by its address.
using StackFrames = std::map<std::uint32_t, std::uint32_t>;

/// What clang writes with -fstack-size-section: in the section .stack_sizes, an address and a ULEB128 number for each
/// function. Empty if it is absent; damaged entries end it. Never trusts a size in the file.
StackFrames read_stack_frames(Elf* elf);

}  // namespace spica::loader
