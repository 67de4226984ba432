// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/joins.h"

#include <llvm/IR/CFG.h>

namespace spica::simt {

using namespace llvm;

Joins::Joins(const BasicBlock& branch, const CycleInfo& cycles,
             const DenseMap<const BasicBlock*, unsigned>& order)
    : branch_(branch), cycles_(cycles), order_(order) {
  for (const BasicBlock* to : successors(&branch)) {
    for (const Cycle* cycle = cycles_.getCycle(&branch); cycle != nullptr && !cycle->contains(to);
         cycle = cycle->getParentCycle())
      left_apart_.insert(cycle);
    push(*to, *to);
  }
  while (!todo_.empty()) {
    const BasicBlock& next = *std::get<3>(*todo_.begin());
    todo_.erase(todo_.begin());
    if (&next != &branch_) visit(next);
  }
}

/// The innermost one that has this block and the branch.
const Cycle* Joins::common_cycle(const BasicBlock& block) const {
  const Cycle* cycle = cycles_.getCycle(&block);
  while (cycle != nullptr && !cycle->contains(&branch_)) cycle = cycle->getParentCycle();
  return cycle;
}

/// Everything before what can be reached from it: the blocks of a cycle, its header, what is behind it.
Joins::Key Joins::key_of(const BasicBlock& block) const {
  const Cycle* cycle = common_cycle(block);
  const unsigned depth = cycle != nullptr ? cycle->getDepth() : 0;
  return {~depth, cycle != nullptr && cycle->getHeader() == &block, order_.lookup(&block), &block};
}

/// Returns whether lanes with different labels meet there.
bool Joins::push(const BasicBlock& to, const BasicBlock& label) {
  const BasicBlock*& old = labels_[&to];
  if (old == &label) return false;
  if (old == nullptr) {
    old = &label;
    todo_.insert(key_of(to));
    return false;
  }
  if (joins_.insert(&to) || old != &to) todo_.insert(key_of(to));
  old = &to;
  return true;
}

void Joins::visit(const BasicBlock& block) {
  const BasicBlock& label = *labels_.lookup(&block);
  const Cycle* cycle = common_cycle(block);
  if (cycle == nullptr || cycle->getHeader() != &block) {
    for (const BasicBlock* to : successors(&block)) push(*to, label);
    return;
  }
  // The next round: lanes that have left the cycle meet those that leave it later.
  SmallVector<BasicBlock*, 4> exits;
  cycle->getExitBlocks(exits);
  for (const BasicBlock* exit : exits)
    if (push(*exit, label)) left_apart_.insert(cycle);
}

}  // namespace spica::simt
