// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/pred_if.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

using BlockSet = SmallPtrSet<BasicBlock*, 16>;

BlockSet side_from(BasicBlock* start, const BasicBlock* end) {
  BlockSet side;
  SmallVector<BasicBlock*, 16> todo{start};
  while (!todo.empty()) {
    BasicBlock* next = todo.pop_back_val();
    if (next == end || !side.insert(next).second) continue;
    todo.append(succ_begin(next), succ_end(next));
  }
  return side;
}

class PredIf {
 public:
  PredIf(BranchInst& branch, BasicBlock& meeting)
      : branch_(branch), meeting_(meeting), last_(branch.getParent()) {}

  SmallVector<BasicBlock*, 4> run() {
    IRBuilder<> builder(&branch_);
    if (branch_.getSuccessor(0) == &meeting_) {
      branch_.setCondition(builder.CreateNot(branch_.getCondition()));
      branch_.swapSuccessors();
    }
    Value* wants = builder.CreateZExt(branch_.getCondition(), builder.getInt32Ty());
    Value* wants_other = builder.CreateXor(wants, 1);
    all_ = read_mask(builder);
    BasicBlock *first = branch_.getSuccessor(0), *second = branch_.getSuccessor(1);
    for (PHINode& phi : meeting_.phis())
      values_.push_back(second == &meeting_ ? phi.getIncomingValueForBlock(last_)
                                            : PoisonValue::get(phi.getType()));
    add_round(*first, wants);
    if (second != &meeting_) add_round(*second, wants_other);
    finish();
    return blocks_;
  }

 private:
  /// A loop around the side that begins with `entry`.
  void add_round(BasicBlock& entry, Value* wants) {
    const BlockSet side = side_from(&entry, &meeting_);
    SmallVector<BasicBlock*, 8> ends;
    for (BasicBlock* block : predecessors(&meeting_))
      if (side.contains(block) && !is_contained(ends, block)) ends.push_back(block);
    BasicBlock* done = SplitBlockPredecessors(&meeting_, ends, ".done");
    BasicBlock* head = BasicBlock::Create(entry.getContext(), "round", entry.getParent(), &entry);
    entry.replacePhiUsesWith(branch_.getParent(), head);

    IRBuilder<> builder(head);
    builder.SetCurrentDebugLocation(branch_.getDebugLoc());
    PHINode* wants_now = builder.CreatePHI(builder.getInt32Ty(), 2);
    wants_now->addIncoming(wants, last_);
    wants_now->addIncoming(builder.getInt32(0), done);
    unsigned at = 0;
    for (PHINode& phi : meeting_.phis()) {
      PHINode* value = builder.CreatePHI(phi.getType(), 2);
      value->addIncoming(values_[at], last_);
      value->addIncoming(phi.getIncomingValueForBlock(done), done);
      values_[at++] = value;
    }
    for (PHINode& phi : make_early_inc_range(meeting_.phis())) phi.removeIncomingValue(done, false);
    done->getTerminator()->setSuccessor(0, head);
    done->getTerminator()->setDebugLoc(
        branch_.getDebugLoc());  // not that of the meeting, where others come as well
    Value* copy = make_pred(builder, all_, wants_now);
    builder.CreateCondBr(builder.CreateICmpNE(copy, builder.getInt32(0)), &entry, &meeting_);
    if (last_ != branch_.getParent()) last_->getTerminator()->setSuccessor(1, head);
    else first_head_ = head;
    last_ = head;
    blocks_.append({head, done});
  }

  void finish() {
    BasicBlock* block = branch_.getParent();
    unsigned at = 0;
    for (PHINode& phi : meeting_.phis()) {
      if (const int index = phi.getBasicBlockIndex(block); index >= 0) phi.removeIncomingValue(index, false);
      phi.addIncoming(values_[at++], last_);
    }
    IRBuilder<> builder(&branch_);
    builder.CreateBr(first_head_);
    branch_.eraseFromParent();
  }

  BranchInst& branch_;
  BasicBlock& meeting_;
  BasicBlock* last_;  // what leads to the next round, or to the meeting
  BasicBlock* first_head_ = nullptr;
  Value* all_ = nullptr;  // the lanes that come here
  SmallVector<Value*, 8> values_;  // of the meeting's phis, as far as the rounds so far decide
  SmallVector<BasicBlock*, 4> blocks_;
};

}  // namespace

bool has_separate_sides(const DivergentIf& one) {
  const BlockSet first = side_from(one.branch->getSuccessor(0), one.meets);
  return none_of(side_from(one.branch->getSuccessor(1), one.meets),
                 [&](BasicBlock* block) { return first.contains(block); });
}

SmallVector<BasicBlock*, 4> insert_pred_if(DivergentIf& one, BasicBlock& meeting) {
  return PredIf(*one.branch, meeting).run();
}

}  // namespace spica::simt
