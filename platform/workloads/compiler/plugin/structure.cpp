// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/structure.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/Transforms/Scalar/StructurizeCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>
#include <llvm/Transforms/Utils/UnifyLoopExits.h>

#include <iterator>

namespace spica::simt {

using namespace llvm;

namespace {

/// Nothing of `block` is executed: the way to it is not taken.
bool is_never_reached(const BasicBlock& block) { return isa<UnreachableInst>(block.getFirstNonPHIOrDbg()); }

/// The terminator no longer leads to `block`, if it has another successor.
void remove_way(Instruction& terminator, BasicBlock& block) {
  BasicBlock* from = terminator.getParent();
  if (auto* branch = dyn_cast<BranchInst>(&terminator); branch != nullptr && branch->isConditional()) {
    BasicBlock* other = branch->getSuccessor(branch->getSuccessor(0) == &block ? 1 : 0);
    if (other == &block) return;
    block.removePredecessor(from);
    BranchInst::Create(other, branch->getIterator())->setDebugLoc(branch->getDebugLoc());
    branch->eraseFromParent();
    return;
  }
  auto* choice = dyn_cast<SwitchInst>(&terminator);
  if (choice == nullptr) return;
  for (auto one = choice->case_begin(); one != choice->case_end();) {
    if (one->getCaseSuccessor() != &block) {
      ++one;
      continue;
    }
    block.removePredecessor(from);
    one = choice->removeCase(one);
  }
  if (choice->getDefaultDest() != &block || choice->getNumCases() == 0) return;
  block.removePredecessor(from);
  const auto last = std::prev(choice->case_end());
  choice->setDefaultDest(last->getCaseSuccessor());  // as many edges as before
  choice->removeCase(last);
}

/// For example the default of a switch over all cases. As a second way out of the function it would delay the
/// reconvergence of lanes to the function's end.
void remove_ways_never_taken(Function& function) {
  for (BasicBlock& block : function)
    if (is_never_reached(block))
      for (BasicBlock* from : SmallVector<BasicBlock*, 8>(predecessors(&block)))
        if (is_contained(predecessors(&block), from)) remove_way(*from->getTerminator(), block);
  EliminateUnreachableBlocks(function);
}

/// "Never comes back" must not be a second way out of a function: behind a call that does not return, any return will
/// do.
void return_where_unreachable(Function& function) {
  remove_ways_never_taken(function);
  for (BasicBlock& block : function) {
    auto* end = dyn_cast<UnreachableInst>(block.getTerminator());
    if (end == nullptr) continue;
    Type* type = function.getReturnType();
    ReturnInst::Create(function.getContext(), type->isVoidTy() ? nullptr : PoisonValue::get(type),
                       end->getIterator());
    end->eraseFromParent();
  }
}

/// Entry and end in blocks of their own: StructurizeCFG works on regions with one entry and one exit, of which the
/// function itself is none.
void isolate_ends(Function& function) {
  BasicBlock& entry = function.getEntryBlock();
  entry.splitBasicBlock(entry.getTerminator(), "body");
  for (BasicBlock& block : function)
    if (isa<ReturnInst>(block.getTerminator())) {
      block.splitBasicBlock(block.getTerminator(), "end");
      return;  // there is one
    }
}

}  // namespace

void simplify_ways(Function& function, FunctionAnalysisManager& analyses) {
  const auto apply = [&](auto pass) { analyses.invalidate(function, pass.run(function, analyses)); };
  apply(LowerSwitchPass());
  return_where_unreachable(function);
  analyses.invalidate(function, PreservedAnalyses::none());
  apply(UnifyFunctionExitNodesPass());
  apply(FixIrreduciblePass());
}

bool Structurer::parts_at_a_switch() const {
  return any_of(function_, [this](const BasicBlock& block) {
    return isa<SwitchInst>(block.getTerminator()) && uniformity_->is_divergent_branch(block);
  });
}

Shape Structurer::find_divergence() {
  if (EliminateUnreachableBlocks(function_)) analyses_.invalidate(function_, PreservedAnalyses::none());
  uniformity_ = std::make_unique<Uniformity>(function_, facts_);
  const auto& dominators = analyses_.getResult<DominatorTreeAnalysis>(function_);
  return find_shape(function_, *uniformity_, analyses_.getResult<PostDominatorTreeAnalysis>(function_),
                    dominators, analyses_.getResult<LoopAnalysis>(function_),
                    OneLaneParts(function_, dominators, facts_));
}

void Structurer::canonicalise() {
  if (parts_at_a_switch()) apply(LowerSwitchPass());
  return_where_unreachable(function_);
  analyses_.invalidate(function_, PreservedAnalyses::none());
  apply(UnifyFunctionExitNodesPass());
  apply(LoopSimplifyPass());
}

void Structurer::structurise() {
  // StructurizeCFG understands no switch, not even one on which lanes agree: it leaves wrong code without a word.
  apply(LowerSwitchPass());
  apply(FixIrreduciblePass());
  apply(LoopSimplifyPass());
  apply(UnifyLoopExitsPass());
  isolate_ends(function_);
  analyses_.invalidate(function_, PreservedAnalyses::none());
  apply(StructurizeCFGPass());
  analyses_.invalidate(function_, PreservedAnalyses::none());
  apply(LoopSimplifyPass());
  analyses_.invalidate(function_, PreservedAnalyses::none());
}

Shape Structurer::run() {
  if (EliminateUnreachableBlocks(function_)) analyses_.invalidate(function_, PreservedAnalyses::none());
  uniformity_ = std::make_unique<Uniformity>(function_, facts_);
  const auto parts = [this](const BasicBlock& block) { return uniformity_->is_divergent_branch(block); };
  if (none_of(function_, parts)) return {};
  canonicalise();
  Shape shape = find_divergence();
  if (shape.problem.empty()) return shape;
  const auto is_other = [](const BasicBlock& block) {
    return isa<IndirectBrInst>(block.getTerminator()) || isa<CallBrInst>(block.getTerminator());
  };
  if (any_of(function_, is_other)) return shape;  // the passes below understand none of these
  problem_ = shape.problem;
  problem_at_ = shape.problem_at;
  structurise();
  return find_divergence();
}

}  // namespace spica::simt
