// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/splits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "platform/workloads/compiler/plugin/pred_if.h"
#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

/// The branch asks the split's copy of the condition: nothing can be computed from what it was before. Returns the word
/// that join needs.
Value* insert_split(BranchInst& branch) {
  IRBuilder<> builder(&branch);
  Type* word = builder.getInt32Ty();
  Value* wants = builder.CreateZExt(branch.getCondition(), word);
  CallInst* split = make_fixed_asm(builder, StructType::get(word, word), {wants},
                                   ".insn r CUSTOM_0, 2, 0, $0, $1, x0 # split", "=&r,=r,1");
  branch.setCondition(builder.CreateICmpNE(builder.CreateExtractValue(split, 1), builder.getInt32(0)));
  return builder.CreateExtractValue(split, 0);
}

/// The block where the sides of this branch meet, and nothing else.
BasicBlock* own_meeting_block(const DivergentIf& one) {
  SmallVector<BasicBlock*, 8> from;
  for (BasicBlock* block : predecessors(one.meets))
    if ((block == one.branch->getParent() || one.sides.contains(block)) && !is_contained(from, block))
      from.push_back(block);
  return SplitBlockPredecessors(one.meets, from, ".join");
}

void insert_join(BasicBlock& block, Value* parted, const DebugLoc& place) {
  IRBuilder<> builder(&block, block.getFirstInsertionPt());
  builder.SetCurrentDebugLocation(place);
  make_fixed_asm(builder, builder.getVoidTy(), {parted}, ".insn r CUSTOM_0, 3, 0, x0, $0, x0 # join", "r");
}

void insert_pred(Loop& loop) {
  auto* branch = cast<BranchInst>(loop.getLoopLatch()->getTerminator());
  IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
  builder.SetCurrentDebugLocation(branch->getDebugLoc());
  Value* all = read_mask(builder);
  builder.SetInsertPoint(branch);
  Value* stays = branch->getCondition();
  if (branch->getSuccessor(0) != loop.getHeader()) {
    stays = builder.CreateNot(stays);
    branch->swapSuccessors();
  }
  Value* copy = make_pred(builder, all, builder.CreateZExt(stays, builder.getInt32Ty()));
  branch->setCondition(builder.CreateICmpNE(copy, builder.getInt32(0)));
}

/// Calls of functions that may part lanes themselves, or call this one.
bool calls_something(const BasicBlock& block) {
  return any_of(block, [](const Instruction& instruction) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    return call != nullptr && !isa<IntrinsicInst>(call) && !call->isInlineAsm();
  });
}

/// The branches that must do without the SIMT stack: it holds seven entries, of which two are left to what the back end
/// calls. None is open across a call, so that calls and recursion need not be counted. Inner branches come first in
/// `shape`.
SmallPtrSet<const DivergentIf*, 8> without_stack(const Shape& shape) {
  constexpr unsigned kLevels = 5;
  SmallPtrSet<const DivergentIf*, 8> chosen;
  for (const DivergentIf& one : reverse(shape.ifs)) {
    const auto is_open = [&](const DivergentIf& other) {
      return other.sides.contains(one.branch->getParent()) && !chosen.contains(&other);
    };
    const bool calls = any_of(one.sides, [](const BasicBlock* block) { return calls_something(*block); });
    if (!one.is_macro && (calls || count_if(shape.ifs, is_open) >= kLevels)) chosen.insert(&one);
  }
  return chosen;
}

}  // namespace

SplitCounts insert_splits(Shape& shape, const DominatorTree& dominators) {
  // Inner branches first: branches that end in one block join in this order.
  const auto depth = [&](const DivergentIf& one) {
    return dominators.getNode(one.branch->getParent())->getLevel();
  };
  stable_sort(shape.ifs, [&](const DivergentIf& a, const DivergentIf& b) { return depth(a) > depth(b); });
  const SmallPtrSet<const DivergentIf*, 8> by_pred = without_stack(shape);
  SplitCounts counts;
  for (Loop* loop : shape.loops) insert_pred(*loop);
  counts.preds = shape.loops.size();
  for (DivergentIf& one : shape.ifs) {
    if (one.is_macro) continue;
    BasicBlock* block = one.branch->getParent();
    SmallVector<BasicBlock*, 4> added{own_meeting_block(one)};
    if (by_pred.contains(&one) && has_separate_sides({one.branch, added[0], {}})) {
      const auto rounds = insert_pred_if(one, *added[0]);
      counts.preds += rounds.size() / 2;
      added.append(rounds.begin(), rounds.end());
    } else {
      const DebugLoc place = one.branch->getDebugLoc();
      insert_join(*added[0], insert_split(*one.branch), place);
      ++counts.splits;
    }
    for (DivergentIf& other : shape.ifs)
      if (&other != &one && other.sides.contains(block)) other.sides.insert(added.begin(), added.end());
  }
  return counts;
}

}  // namespace spica::simt
