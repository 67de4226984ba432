// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

#include <memory>
#include <string>

#include "platform/workloads/compiler/plugin/shape.h"
#include "platform/workloads/compiler/plugin/uniformity.h"

namespace spica::simt {

/// Leaves a function one way out, no switch, and only loops with one entry.
void simplify_ways(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

/// Rewrites the control flow of a function, where it must, until lanes diverge only at branches of the two kinds of
/// `Shape`:
/// LLVM's passes for irreducible loops, loop exits and StructurizeCFG.
class Structurer {
 public:
  Structurer(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, const ModuleFacts& facts)
      : function_(function), analyses_(analyses), facts_(facts) {}

  /// The shape at the end. Its `problem` is not empty when the passes could not do it.
  Shape run();
  /// Uniformity of the function after run().
  const Uniformity& uniformity() const { return *uniformity_; }
  /// What made it necessary to restructure, and where; empty: nothing did.
  const std::string& problem() const { return problem_; }
  const llvm::DebugLoc& problem_at() const { return problem_at_; }

 private:
  void canonicalise();
  void structurise();
  Shape look();
  bool parts_at_a_switch() const;
  /// Runs one of LLVM's passes.
  template <class Pass>
  void apply(Pass pass) {
    analyses_.invalidate(function_, pass.run(function_, analyses_));
  }

  llvm::Function& function_;
  llvm::FunctionAnalysisManager& analyses_;
  const ModuleFacts& facts_;
  std::unique_ptr<Uniformity> uniformity_;
  std::string problem_;
  llvm::DebugLoc problem_at_;
};

}  // namespace spica::simt
