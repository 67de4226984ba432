// SPDX-License-Identifier: Apache-2.0
// A plugin of clang 19 that makes plain C++ kernels right on a machine whose lanes share a program counter: it puts
// split, join and pred where lanes may disagree. Two passes: one at the start of the optimisations, one behind them. At
// -O0 there are none, and the second one keeps all variables for a debugger.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>

#include "platform/workloads/compiler/plugin/function_lanes.h"
#include "platform/workloads/compiler/plugin/grid_kernels.h"
#include "platform/workloads/compiler/plugin/module_facts.h"
#include "platform/workloads/compiler/plugin/turns.h"
#include "platform/workloads/compiler/plugin/uniformity.h"
#include "platform/workloads/compiler/plugin/variables.h"

namespace spica::simt {

using namespace llvm;

namespace {

cl::opt<bool> whole_program(
    "spica-whole-program",
    cl::desc("all that calls a function of this file is in this file, but for main()"));

/// No optimisation may make a barrier, or a call of something with one, depend on one more condition.
class MarkConvergent : public PassInfoMixin<MarkConvergent> {
 public:
  explicit MarkConvergent(OptimizationLevel level) : is_for_debugger_(level == OptimizationLevel::O0) {}
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): of LLVM

  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    make_grid_kernels(module, whole_program);
    for (Function& function : module) {
      if (!function.isIntrinsic()) function.addFnAttr(Attribute::Convergent);
      if (is_for_debugger_) function.removeFnAttr(Attribute::OptimizeNone);  // until PartLanes is through
      for (Instruction& instruction : instructions(function))
        if (auto* call = dyn_cast<CallBase>(&instruction)) {
          const auto* code = dyn_cast<InlineAsm>(call->getCalledOperand());
          if (code != nullptr ? code->hasSideEffects() : call->isIndirectCall())
            call->addFnAttr(Attribute::Convergent);
        }
    }
    inline_waits(module);
    if (is_for_debugger_) inline_collectives(module, ModuleFacts(module, whole_program));
    return PreservedAnalyses::none();
  }

 private:
  bool is_for_debugger_;
};

class PartLanes : public PassInfoMixin<PartLanes> {
 public:
  explicit PartLanes(OptimizationLevel level) : is_for_debugger_(level == OptimizationLevel::O0) {}
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): of LLVM

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    auto& manager = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    const auto each = [&](auto action) {
      for (Function& function : module)
        if (!function.isDeclaration()) action(function);
    };
    DenseMap<const Function*, std::vector<DebugLoc>> ends;
    if (is_for_debugger_)
      each([&](Function& function) { ends[&function] = keep_variables(function, manager); });
    each([](Function& function) { name_undefined(function); });
    const ModuleFacts facts(module, whole_program);
    each([&](Function& function) {
      if (!facts.runs_in_one_lane(function)) FunctionLanes(function, manager, facts).run();
    });
    if (is_for_debugger_) {
      each([&](Function& function) { release_variables(function, ends[&function]); });
      module.appendModuleInlineAsm(
          ".weak spica_keeps_variables\n.set spica_keeps_variables, 1");  // Server asks
    }
    return PreservedAnalyses::none();
  }

 private:
  bool is_for_debugger_;
};

void register_passes(PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager& passes, OptimizationLevel level) { passes.addPass(MarkConvergent(level)); });
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager& passes, OptimizationLevel level) { passes.addPass(PartLanes(level)); });
}

}  // namespace

}  // namespace spica::simt

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "spica", "1", spica::simt::register_passes};
}
