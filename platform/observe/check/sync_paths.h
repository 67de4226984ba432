// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "models/isa/instruction.h"

namespace spica::check {

/// Instructions in memory order.
using Instructions = std::vector<isa::Instruction>;

/// True if the access is to the stack of its own lane, through the stack or frame pointer; no other lane uses it.
bool is_on_stack(const Instructions& all, std::size_t at);
/// True if the load reads the word of another access again, provided that the registers are unchanged.
bool is_same_word(const isa::Instruction& load, const isa::Instruction& other);
/// True if the fence belongs to a barrier that follows.
bool barrier_follows(const Instructions& all, std::size_t fence);

/// True if a load waits for others: a path leads from the load back to it, on which the code stores nothing and
/// restores all state, and the loaded value decides whether the path is taken. Other paths do not matter, such as the
/// body of a lock that a compiler moved into the loop.
bool waits_on_a_way_round(const Instructions& all, std::size_t load);

/// True if a path leads from a load to a fence that is not part of a barrier, without other accesses in between.
bool fence_follows(const Instructions& all, std::size_t load);

}  // namespace spica::check
