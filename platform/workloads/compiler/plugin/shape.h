// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <string>
#include <vector>

#include "platform/workloads/compiler/plugin/one_lane.h"
#include "platform/workloads/compiler/plugin/uniformity.h"

namespace spica::simt {

/// A divergent branch whose sides are executed one after the other: split before it, join where the sides meet.
struct DivergentIf {
  llvm::BranchInst* branch;
  llvm::BasicBlock* meets;  // the first block that all lanes reach again
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> sides;  // all blocks in between
  bool is_macro = false;  // SIMT_IF: split and join exist already
};

/// The places where lanes diverge in a function.
struct Shape {
  std::vector<DivergentIf> ifs;
  std::vector<llvm::Loop*> loops;  // lanes leave these loops at different times, all at the last branch
  /// The reason why some divergent branches are not of these two kinds; empty: all are.
  std::string problem;
  llvm::DebugLoc problem_at;

  bool is_empty() const { return ifs.empty() && loops.empty(); }
};

/// The analyses must be up to date, and `function` without unreachable blocks. Lanes do not diverge in parts of a
/// single lane.
Shape find_shape(llvm::Function& function, const Uniformity& uniformity, const llvm::PostDominatorTree& ends,
                 const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops,
                 const OneLaneParts& parts);

}  // namespace spica::simt
