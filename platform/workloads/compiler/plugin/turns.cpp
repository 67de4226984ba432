// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/turns.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Scalar/Reg2Mem.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "platform/workloads/compiler/plugin/grid_kernels.h"
#include "platform/workloads/compiler/plugin/messages.h"
#include "platform/workloads/compiler/plugin/shared_access.h"
#include "platform/workloads/compiler/plugin/structure.h"
#include "platform/workloads/compiler/plugin/waits.h"

namespace spica::simt {

using namespace llvm;

namespace {

/// Makes one loop of a wait, in a function whose values are in memory where they pass from block to block.
class TurnLoop {
 public:
  TurnLoop(Wait& wait, const DominatorTree& dominators)
      : wait_(wait),
        dominators_(dominators),
        function_(*wait.end->getParent()),
        place_(place_of(*wait.headers.front())) {}

  void run() {
    IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    target_ = builder.CreateAlloca(builder.getInt32Ty(), nullptr, "turn");
    is_through_ = builder.CreateAlloca(builder.getInt1Ty(), nullptr, "through");
    start_ = BasicBlock::Create(function_.getContext(), "turn", &function_, wait_.headers.front());
    next_ = BasicBlock::Create(function_.getContext(), "turn.end", &function_, wait_.end);
    // Of its own, because a loop around the wait may come back here: both would be one loop with one header, and lanes
    // in different iterations.
    entry_ = BasicBlock::Create(function_.getContext(), "turn.entry", &function_, start_);
    const std::vector<std::pair<BasicBlock*, BasicBlock*>> edges = find_edges();
    for (const auto& [from, to] : edges) redirect(*from, *to);
    fill_start();
    builder.SetInsertPoint(entry_);
    builder.SetCurrentDebugLocation(place_);
    builder.CreateBr(start_);
    builder.SetInsertPoint(next_);
    builder.SetCurrentDebugLocation(place_);
    builder.CreateCondBr(builder.CreateLoad(builder.getInt1Ty(), is_through_), wait_.end, start_);
  }

 private:
  static DebugLoc place_of(const BasicBlock& block) { return block.getTerminator()->getDebugLoc(); }
  bool is_inside(BasicBlock* block) const { return wait_.blocks.contains(block); }
  bool is_back(BasicBlock* from, BasicBlock* to) const {
    return is_contained(wait_.headers, to) && dominators_.dominates(to, from);
  }

  /// Into the blocks of the wait, out of them, and back to a loop's header.
  std::vector<std::pair<BasicBlock*, BasicBlock*>> find_edges() {
    std::vector<std::pair<BasicBlock*, BasicBlock*>> edges;
    for (BasicBlock& from : function_) {
      if (&from == start_ || &from == next_ || !dominators_.isReachableFromEntry(&from)) continue;
      SmallPtrSet<BasicBlock*, 4> seen;
      for (BasicBlock* to : successors(&from))
        if (seen.insert(to).second && (is_inside(&from) != is_inside(to) || is_back(&from, to)))
          edges.emplace_back(&from, to);
    }
    return edges;
  }

  void redirect(BasicBlock& from, BasicBlock& to) {
    BasicBlock* between = BasicBlock::Create(function_.getContext(), "", &function_, &to);
    IRBuilder<> builder(between);
    builder.SetCurrentDebugLocation(from.getTerminator()->getDebugLoc());
    const bool is_entry = !is_inside(&from), leaves = &to == wait_.end;
    if (!leaves) {
      const unsigned number = targets_.insert({&to, targets_.size()}).first->second;
      builder.CreateStore(builder.getInt32(number), target_);
    }
    if (!is_entry) builder.CreateStore(builder.getInt1(leaves), is_through_);
    builder.CreateBr(is_entry ? entry_ : next_);
    from.getTerminator()->replaceSuccessorWith(&to, between);
  }

  /// Each lane continues where it has its turn.
  void fill_start() {
    IRBuilder<> builder(start_);
    builder.SetCurrentDebugLocation(place_);
    const unsigned count = targets_.size();
    for (const auto& [to, number] : targets_) {
      if (number + 1 == count) {
        builder.CreateBr(to);
        break;
      }
      BasicBlock* rest = BasicBlock::Create(function_.getContext(), "turn.other", &function_, next_);
      Value* target = builder.CreateLoad(builder.getInt32Ty(), target_);
      builder.CreateCondBr(builder.CreateICmpEQ(target, builder.getInt32(number)), to, rest);
      builder.SetInsertPoint(rest);
    }
  }

  Wait& wait_;
  const DominatorTree& dominators_;
  Function& function_;
  DebugLoc place_;
  AllocaInst *target_ = nullptr, *is_through_ = nullptr;
  BasicBlock *entry_ = nullptr, *start_ = nullptr, *next_ = nullptr;
  MapVector<BasicBlock*, unsigned> targets_;
};

class Turns {
 public:
  Turns(Function& function, FunctionAnalysisManager& analyses, const ModuleFacts& facts)
      : function_(function), analyses_(analyses), facts_(facts) {}

  unsigned run() {
    if (!may_wait()) return 0;
    simplify_ways(function_, analyses_);
    split_blocks();
    std::vector<Wait> waits = find();
    if (waits.empty()) return 0;
    for (const Wait& wait : waits)
      remark(*wait.headers.front(), own_place(wait.headers.front()->getTerminator()->getDebugLoc()),
             "lanes may wait for each other here: they take turns" + end_text(*wait.end));
    // The passes keep the blocks that are there.
    apply(RegToMemPass());
    for (Wait& wait : waits) {
      add_new_blocks(wait);
      TurnLoop(wait, analyses_.getResult<DominatorTreeAnalysis>(function_)).run();
      analyses_.invalidate(function_, PreservedAnalyses::none());
    }
    apply(PromotePass());
    analyses_.invalidate(function_, PreservedAnalyses::none());
    return waits.size();
  }

 private:
  template <class Pass>
  void apply(Pass pass) {
    pass.run(function_, analyses_);
    analyses_.invalidate(function_, PreservedAnalyses::none());
  }

  /// Few functions do; the others stay as they are.
  bool may_wait() {
    const auto is_other = [](const BasicBlock& block) {
      return isa<IndirectBrInst>(block.getTerminator()) || isa<CallBrInst>(block.getTerminator());
    };
    if (any_of(function_, is_other)) return false;
    EliminateUnreachableBlocks(function_);
    analyses_.invalidate(function_, PreservedAnalyses::none());
    const auto& cycles = analyses_.getResult<CycleAnalysis>(function_);
    return any_of(function_, [&](const BasicBlock& block) {
      return cycles.getCycle(&block) != nullptr && any_of(block, [this](const Instruction& one) {
               return takes_turns_in_all_loops() || facts_.accesses().of(one).reads;
             });
    });
  }

  void split_blocks() {
    SmallVector<Instruction*, 32> before;
    for (BasicBlock& block : function_)
      for (Instruction& one : block) {
        const bool is_cut = needs_others(one, facts_);
        if (is_cut && &one != &block.front()) before.push_back(&one);
        if ((is_cut || facts_.accesses().of(one).writes) && !one.isTerminator())
          before.push_back(one.getNextNode());
      }
    for (Instruction* one : before)
      if (one != &one->getParent()->front() && !isa<PHINode>(one)) one->getParent()->splitBasicBlock(one);
    analyses_.invalidate(function_, PreservedAnalyses::none());
  }

  std::vector<Wait> find() {
    const Uniformity uniformity(function_, facts_);
    const auto& dominators = analyses_.getResult<DominatorTreeAnalysis>(function_);
    return find_waits(uniformity, analyses_.getResult<LoopAnalysis>(function_),
                      analyses_.getResult<PostDominatorTreeAnalysis>(function_),
                      OneLaneParts(function_, dominators, facts_), facts_);
  }

  /// Of split edges.
  static void add_new_blocks(Wait& wait) {
    wait.blocks.clear();
    SmallVector<BasicBlock*, 16> todo(wait.headers.begin(), wait.headers.end());
    while (!todo.empty()) {
      BasicBlock* block = todo.pop_back_val();
      if (block != wait.end && wait.blocks.insert(block).second)
        todo.append(succ_begin(block), succ_end(block));
    }
  }

  static std::string end_text(const BasicBlock& end) {
    for (const Instruction& one : end)
      if (const DebugLoc place = own_place(one.getDebugLoc()))
        return " up to line " + std::to_string(place.getLine());
    return "";
  }

  Function& function_;
  FunctionAnalysisManager& analyses_;
  const ModuleFacts& facts_;
};

}  // namespace

unsigned give_turns(Function& function, FunctionAnalysisManager& analyses, const ModuleFacts& facts) {
  return Turns(function, analyses, facts).run();
}

void inline_waits(Module& module) {
  const SharedAccesses accesses(module);
  SmallPtrSet<const Function*, 8> waiting;
  const auto may_wait = [&](Function& function) {
    DominatorTree dominators(function);
    const LoopInfo loops(dominators);
    return any_of(instructions(function), [&](const Instruction& one) {
      const auto* call = dyn_cast<CallBase>(&one);
      return (call != nullptr && waiting.contains(call->getCalledFunction())) ||
             (loops.getLoopFor(one.getParent()) != nullptr && accesses.of(one).reads);
    });
  };
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (Function& function : module) {
      if (function.isDeclaration() || function.hasFnAttribute(Attribute::OptimizeNone) ||
          function.getName() == "main" || function.hasFnAttribute(kKernel) || waiting.contains(&function) ||
          !may_wait(function))
        continue;
      is_changed = true;
      waiting.insert(&function);
      function.removeFnAttr(Attribute::NoInline);
      function.addFnAttr(Attribute::AlwaysInline);
    }
  }
}

}  // namespace spica::simt
