// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/PassManager.h>

namespace spica::simt {

class ModuleFacts;

/// Gives names to the undefined values in the program's phi nodes: they differ between lanes. Undefined values inserted
/// by later passes are never read.
void name_undefined(llvm::Function& function);

/// The values that may differ between the active lanes of a warp, and the branches at which these may diverge: LLVM's
/// uniformity analysis with this machine's target information. Valid for values that existed when it was created.
class Uniformity {
 public:
  /// `facts` must outlive it.
  Uniformity(llvm::Function& function, const ModuleFacts& facts);

  bool is_divergent(const llvm::Value& value) const { return info_.isDivergent(&value); }
  /// A value can be uniform while lanes are in a loop, and differ after it.
  bool is_divergent(const llvm::Use& use) const;
  bool is_divergent_branch(const llvm::BasicBlock& block) const;

 private:
  llvm::UniformityInfo analyse(const ModuleFacts& facts);
  bool add_overlooked();
  bool add_users(const llvm::Cycle& cycle);
  bool add(const llvm::Instruction& instruction);

  llvm::Function& function_;
  llvm::DenseSet<const llvm::Instruction*> overlooked_;  // missed by LLVM's analysis (joins.h)
  llvm::SmallSetVector<const llvm::Cycle*, 4> left_apart_;
  llvm::FunctionAnalysisManager analyses_;  // referenced by the result
  mutable llvm::UniformityInfo info_;  // has a query that is not const
};

}  // namespace spica::simt
