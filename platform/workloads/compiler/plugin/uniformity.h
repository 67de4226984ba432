// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/PassManager.h>

namespace spica::simt {

class ModuleFacts;

/// Gives names to the undefined values that the program has where ways meet: they differ between lanes. Those that
/// later passes put there represent values that nothing reads.
void name_undefined(llvm::Function& function);

/// Which values may differ between the active lanes of a warp, and at which branches these may diverge: LLVM's
/// uniformity analysis, with this machine's answers to its questions about the target. Knows the values
/// that were there when it was made, and no later ones.
class Uniformity {
 public:
  /// `facts` must live as long.
  Uniformity(llvm::Function& function, const ModuleFacts& facts);

  bool is_divergent(const llvm::Value& value) const { return info_.isDivergent(&value); }
  /// A value can be the same in all lanes while they are in a loop, and differ behind it.
  bool is_divergent(const llvm::Use& use) const;
  bool is_divergent_branch(const llvm::BasicBlock& block) const;

 private:
  llvm::UniformityInfo analyse(const ModuleFacts& facts);
  bool add_overlooked();
  bool add_users(const llvm::Cycle& cycle);
  bool add(const llvm::Instruction& instruction);

  llvm::Function& function_;
  llvm::DenseSet<const llvm::Instruction*> overlooked_;  // by LLVM's analysis (joins.h)
  llvm::SmallSetVector<const llvm::Cycle*, 4> left_apart_;
  llvm::FunctionAnalysisManager analyses_;  // the result refers to what is in it
  mutable llvm::UniformityInfo info_;  // it has a question that is not const
};

}  // namespace spica::simt
