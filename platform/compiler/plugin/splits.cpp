// SPDX-License-Identifier: Apache-2.0
#include "platform/compiler/plugin/splits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "platform/compiler/plugin/simt_asm.h"

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
BasicBlock* own_meeting_block(const DivergentIf& one, DominatorTree& dominators, LoopInfo& loops) {
  SmallVector<BasicBlock*, 8> from;
  for (BasicBlock* block : predecessors(one.meets))
    if ((block == one.branch->getParent() || one.sides.contains(block)) && !is_contained(from, block))
      from.push_back(block);
  return SplitBlockPredecessors(one.meets, from, ".join", &dominators, &loops);
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
  Type* word = builder.getInt32Ty();
  Value* copy = make_fixed_asm(builder, word, {all, builder.CreateZExt(stays, word)},
                               ".insn r CUSTOM_0, 5, 0, x0, $0, $1 # pred", "=r,r,0");
  branch->setCondition(builder.CreateICmpNE(copy, builder.getInt32(0)));
}

}  // namespace

void insert_splits(Shape& shape, DominatorTree& dominators, LoopInfo& loops) {
  // Inner branches first: where several meet in one block, they meet in this order.
  const auto depth = [&](const DivergentIf& one) {
    return dominators.getNode(one.branch->getParent())->getLevel();
  };
  stable_sort(shape.ifs, [&](const DivergentIf& a, const DivergentIf& b) { return depth(a) > depth(b); });
  for (DivergentIf& one : shape.ifs) {
    Value* parted = insert_split(*one.branch);
    BasicBlock* block = own_meeting_block(one, dominators, loops);
    for (DivergentIf& other : shape.ifs)
      if (&other != &one && other.sides.contains(one.branch->getParent())) other.sides.insert(block);
    insert_join(*block, parted, one.branch->getDebugLoc());
  }
  for (Loop* loop : shape.loops) insert_pred(*loop);
}

}  // namespace spica::simt
