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

/// Loops in which lanes wait for values that other lanes of their warp write after such a loop (a lock), and the code
/// that lanes must be able to reach while others still wait.
struct Wait {
  llvm::SmallVector<llvm::BasicBlock*, 4> headers;  // where a waiting lane tries again
  llvm::BasicBlock* end;  // the first block on which no waiting lane depends; all lanes reach it
  llvm::SmallPtrSet<llvm::BasicBlock*, 32> blocks;  // from the headers to `end`
};

/// For tests of this transformation: -mllvm -spica-turns-in-all-loops.
bool takes_turns_in_all_loops();

/// True if lanes need each other at an instruction: a barrier, a shuffle, a vote. A lane must not reach it alone.
bool needs_others(const llvm::Instruction& instruction, const ModuleFacts& facts);

/// Finds the waits of a function whose blocks end after each access known to `SharedAccesses` and begin at each
/// instruction that needs_others(). The waits have no common blocks.
std::vector<Wait> find_waits(const Uniformity& uniformity, const llvm::LoopInfo& loops,
                             const llvm::PostDominatorTree& ends, const OneLaneParts& parts,
                             const ModuleFacts& facts);

}  // namespace spica::simt
