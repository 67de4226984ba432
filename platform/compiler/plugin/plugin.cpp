// SPDX-License-Identifier: Apache-2.0
// A plugin of clang 19 that makes plain C++ kernels right on a machine whose lanes share a program counter: it puts split,
// join and pred where lanes may disagree. Two passes: one at the start of the optimisations, one behind them.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>

#include "platform/compiler/plugin/function_lanes.h"
#include "platform/compiler/plugin/grid_kernels.h"
#include "platform/compiler/plugin/module_facts.h"
#include "platform/compiler/plugin/turns.h"
#include "platform/compiler/plugin/uniformity.h"

namespace spica::simt {

using namespace llvm;

namespace {

cl::opt<bool> whole_program(
    "spica-whole-program",
    cl::desc("all that calls a function of this file is in this file, but for main()"));

/// No optimisation may make a barrier, or a call of something with one, depend on one more condition.
class MarkConvergent : public PassInfoMixin<MarkConvergent> {
 public:
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    make_grid_kernels(module, whole_program);
    for (Function& function : module) {
      if (!function.isIntrinsic()) function.addFnAttr(Attribute::Convergent);
      for (Instruction& instruction : instructions(function))
        if (auto* call = dyn_cast<CallBase>(&instruction)) {
          const auto* code = dyn_cast<InlineAsm>(call->getCalledOperand());
          if (code != nullptr ? code->hasSideEffects() : call->isIndirectCall())
            call->addFnAttr(Attribute::Convergent);
        }
    }
    inline_waits(module);
    return PreservedAnalyses::none();
  }
};

class PartLanes : public PassInfoMixin<PartLanes> {
 public:
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    auto& manager = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    for (Function& function : module) name_undefined(function);
    const ModuleFacts facts(module, whole_program);
    for (Function& function : module)
      if (!function.isDeclaration() && !facts.runs_in_one_lane(function))
        FunctionLanes(function, manager, facts).run();
    return PreservedAnalyses::none();
  }
};

void register_passes(PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(MarkConvergent()); });
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(PartLanes()); });
}

}  // namespace

}  // namespace spica::simt

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "spica", "1", spica::simt::register_passes};
}
