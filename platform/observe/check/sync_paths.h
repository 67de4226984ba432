// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "models/isa/instruction.h"

namespace spica::check {

/// Instructions in sequence, as they are in memory.
using Instructions = std::vector<isa::Instruction>;

/// Whether the access is to the stack of its own lane, by the stack pointer or a frame pointer: no other lane uses it.
bool is_on_stack(const Instructions& all, std::size_t at);
/// A load that reads the word of another access again, if their registers are the same.
bool is_same_word(const isa::Instruction& load, const isa::Instruction& other);
/// A fence that belongs to a barrier: the barrier follows.
bool barrier_follows(const Instructions& all, std::size_t fence);

/// Whether a load waits for others: a way leads from it back to it on which the code stores nothing and leaves
/// everything as it was, and its value decides whether the code takes that way. What other ways do, such as the body of
/// a lock that a compiler has moved into the loop, does not matter.
bool waits_on_a_way_round(const Instructions& all, std::size_t load);

/// Whether a way leads from a load to a fence, not of a barrier, with no other access to memory in front of it.
bool fence_follows(const Instructions& all, std::size_t load);

}  // namespace spica::check
