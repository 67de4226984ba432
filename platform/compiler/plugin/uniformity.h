// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/PassManager.h>

namespace spica::simt {

class ModuleFacts;

/// Which values may differ between the active lanes of a warp, and at which branches lanes may part: LLVM's uniformity
/// analysis, with the answers of this machine to what the analysis asks a target. Knows the values that were there when
/// it was made, and no later ones.
class Uniformity {
 public:
  /// `facts` must live as long.
  Uniformity(llvm::Function& function, const ModuleFacts& facts);

  bool is_divergent(const llvm::Value& value) const { return info_.isDivergent(&value); }
  /// A value can be the same in all lanes while they are in a loop, and differ behind it.
  bool is_divergent(const llvm::Use& use) const { return info_.isDivergentUse(use); }
  bool is_divergent_branch(const llvm::BasicBlock& block) const;

 private:
  llvm::FunctionAnalysisManager analyses_;  // the result refers to what is in it
  mutable llvm::UniformityInfo info_;  // it has a question that is not const
};

}  // namespace spica::simt
