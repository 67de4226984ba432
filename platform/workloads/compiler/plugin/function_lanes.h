// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

#include "platform/workloads/compiler/plugin/module_facts.h"
#include "platform/workloads/compiler/plugin/shape.h"
#include "platform/workloads/compiler/plugin/structure.h"

namespace spica::simt {

/// All passes over one function, after the optimisations. Reports unsupported code as compilation errors, and changes
/// as remarks.
class FunctionLanes {
 public:
  FunctionLanes(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, const ModuleFacts& facts)
      : function_(function), analyses_(analyses), facts_(facts) {}

  void run();

 private:
  void take_vectors_apart();
  void insert_lane_loops();
  bool is_refused(const Shape& shape, const Structurer& structurer);
  void report_impossible(const Uniformity& uniformity);

  llvm::Function& function_;
  llvm::FunctionAnalysisManager& analyses_;
  const ModuleFacts& facts_;
  unsigned replaced_ = 0, lane_loops_ = 0;
};

}  // namespace spica::simt
