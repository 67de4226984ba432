// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

#include <vector>

#include "platform/workloads/compiler/plugin/module_facts.h"
#include "platform/workloads/compiler/plugin/one_lane.h"
#include "platform/workloads/compiler/plugin/uniformity.h"

namespace spica::simt {

/// Loops in which lanes wait for what other lanes of their warp write behind such a loop (a lock), and the code that
/// lanes must be able to reach while others are still waiting.
struct Wait {
  llvm::SmallVector<llvm::BasicBlock*, 4> headers;  // where a lane that waits tries again
  llvm::BasicBlock* end;  // the first block that no waiting lane depends on; all lanes reach it
  llvm::SmallPtrSet<llvm::BasicBlock*, 32> blocks;  // from the headers up to `end`
};

/// For tests of what becomes of loops: -mllvm -spica-turns-in-all-loops.
bool takes_turns_in_all_loops();

/// Whether lanes need each other at an instruction: a barrier, a shuffle, a vote. A lane must not get there alone.
bool needs_others(const llvm::Instruction& instruction, const ModuleFacts& facts);

/// Finds the waits of a function whose blocks end behind each access that `SharedAccesses` knows, and begin at each
/// instruction that needs_others(). No two of them have a block in common.
std::vector<Wait> find_waits(const Uniformity& uniformity, const llvm::LoopInfo& loops,
                             const llvm::PostDominatorTree& ends, const OneLaneParts& parts,
                             const ModuleFacts& facts);

}  // namespace spica::simt
