// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

#include <memory>
#include <string>

#include "platform/workloads/compiler/plugin/shape.h"
#include "platform/workloads/compiler/plugin/uniformity.h"

namespace spica::simt {

/// Gives a function a single exit, no switches, and loops with a single entry.
void simplify_ways(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

/// Restructures the control flow of a function, if necessary, until lanes diverge only at the two kinds of branches in
/// `Shape`: with LLVM's passes for irreducible loops and loop exits, and StructurizeCFG.
class Structurer {
 public:
  Structurer(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, const ModuleFacts& facts)
      : function_(function), analyses_(analyses), facts_(facts) {}

  /// Returns the resulting shape. Its `problem` is not empty if the passes failed.
  Shape run();
  /// Uniformity of the function after run().
  const Uniformity& uniformity() const { return *uniformity_; }
  /// The reason for restructuring, and its place; empty: it was not necessary.
  const std::string& problem() const { return problem_; }
  const llvm::DebugLoc& problem_at() const { return problem_at_; }

 private:
  void canonicalise();
  void structurise();
  Shape find_divergence();
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
