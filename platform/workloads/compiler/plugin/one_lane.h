// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>

namespace spica::simt {

class ModuleFacts;

/// The parts of a function that a single lane executes: code after `if (simt_lane() == 0)`, another constant, or a test
/// of simt_hart() or the task number. Lanes cannot diverge there.
class OneLaneParts {
 public:
  OneLaneParts(llvm::Function& function, const llvm::DominatorTree& dominators, const ModuleFacts& facts);

  bool contains(const llvm::BasicBlock& block) const { return is_behind(all_, block); }
  /// True for a part that only lane 0 executes.
  bool is_for_lane_0(const llvm::BasicBlock& block) const { return is_behind(lane_0_, block); }

 private:
  using Edges = llvm::SmallVector<llvm::BasicBlockEdge, 4>;
  bool is_behind(const Edges& edges, const llvm::BasicBlock& block) const;

  const llvm::DominatorTree& dominators_;
  Edges all_, lane_0_;  // edges into such parts
};

}  // namespace spica::simt
