// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/shape.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/PatternMatch.h>

#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

/// The split of SIMT_IF that a branch asks; null: it asks none.
const CallInst* macro_split(const BranchInst& branch) {
  using namespace PatternMatch;
  ICmpInst::Predicate relation;
  Value* word = nullptr;
  if (!match(branch.getCondition(), m_ICmp(relation, m_ExtractValue<1>(m_Value(word)), m_Zero())))
    return nullptr;
  const auto* split = dyn_cast<CallInst>(word);
  return split != nullptr && asm_kind(*split) == AsmKind::kSplit && split->getParent() == branch.getParent()
             ? split
             : nullptr;
}

/// Whether the lanes come together by the join of the same macro, before the block of the join does anything else.
bool is_macro(const DivergentIf& one) {
  using namespace PatternMatch;
  const CallInst* split = macro_split(*one.branch);
  if (split == nullptr) return false;
  for (Instruction& instruction : *one.meets) {
    if (asm_kind(instruction) == AsmKind::kJoin)
      return match(cast<CallInst>(instruction).getArgOperand(0), m_ExtractValue<0>(m_Specific(split)));
    if (instruction.mayHaveSideEffects() || instruction.isTerminator()) return false;
  }
  return false;
}

class ShapeFinder {
 public:
  ShapeFinder(const PostDominatorTree& ends, const DominatorTree& dominators, const LoopInfo& loops)
      : ends_(ends), dominators_(dominators), loops_(loops) {}

  void add(BasicBlock& block) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (branch == nullptr) return fail(block, "a switch or a computed goto");
    if (branch->getSuccessor(0) == branch->getSuccessor(1)) return;
    Loop* loop = loops_.getLoopFor(&block);
    if (loop != nullptr && loop->isLoopExiting(&block)) add_loop(*loop, *branch);
    else add_if(loop, *branch);
  }

  Shape take() { return std::move(shape_); }

 private:
  void fail(const BasicBlock& block, const char* why) {
    if (!shape_.problem.empty()) return;
    shape_.problem = why;
    shape_.problem_at = block.getTerminator()->getDebugLoc();
  }

  void add_loop(Loop& loop, BranchInst& branch) {
    const BasicBlock* block = branch.getParent();
    const bool goes_back = is_contained(successors(block), loop.getHeader());
    if (loop.getLoopLatch() == block && loop.getExitingBlock() == block &&
        loop.getLoopPreheader() != nullptr && goes_back)
      shape_.loops.push_back(&loop);
    else fail(*block, "a loop with several exits");
  }

  void add_if(const Loop* loop, BranchInst& branch) {
    BasicBlock* block = branch.getParent();
    const auto* node = ends_.getNode(block);
    BasicBlock* meets = node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;
    if (meets == nullptr) return fail(*block, "sides that never reconverge");
    if (loop != nullptr && (!loop->contains(meets) || meets == loop->getHeader()))
      return fail(*block, "sides that join outside of the loop");
    DivergentIf one{&branch, meets, {}};
    SmallVector<BasicBlock*, 16> todo(successors(block));
    while (!todo.empty()) {
      BasicBlock* next = todo.pop_back_val();
      if (next == meets || !one.sides.insert(next).second) continue;
      todo.append(succ_begin(next), succ_end(next));
    }
    const auto is_inside = [&](const BasicBlock* inside) {
      return inside != block && dominators_.dominates(block, inside);
    };
    if (!all_of(one.sides, is_inside)) return fail(*block, "a side that can be entered from elsewhere");
    one.is_macro = is_macro(one);
    shape_.ifs.push_back(std::move(one));
  }

  const PostDominatorTree& ends_;
  const DominatorTree& dominators_;
  const LoopInfo& loops_;
  Shape shape_;
};

}  // namespace

Shape find_shape(Function& function, const Uniformity& uniformity, const PostDominatorTree& ends,
                 const DominatorTree& dominators, const LoopInfo& loops, const OneLaneParts& parts) {
  ShapeFinder finder(ends, dominators, loops);
  for (BasicBlock& block : function)
    if (uniformity.is_divergent_branch(block) && !parts.contains(block)) finder.add(block);
  return finder.take();
}

}  // namespace spica::simt
