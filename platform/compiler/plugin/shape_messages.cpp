// SPDX-License-Identifier: Apache-2.0
// What is said about the places where lanes part.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/Path.h>

#include <algorithm>

#include "platform/compiler/plugin/messages.h"
#include "platform/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

BranchInst& last_branch(const Loop& loop) { return *cast<BranchInst>(loop.getLoopLatch()->getTerminator()); }

std::string place_text(const DebugLoc& place) {
  const DebugLoc own = own_place(place);
  if (!own) return "a branch";
  return "the branch at " + sys::path::filename(own->getFilename()).str() + ":" +
         std::to_string(own.getLine());
}

/// Lane 0 is where the condition holds: `lane == 0`, maybe with more.
bool asks_for_lane_0(Value* condition, bool is_true) {
  using namespace PatternMatch;
  ICmpInst::Predicate relation;
  Value *left = nullptr, *right = nullptr;
  if (match(condition, m_ICmp(relation, m_Value(left), m_Zero())))
    return reads_lane(*left) && relation == (is_true ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE);
  if (is_true ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
              : match(condition, m_LogicalOr(m_Value(left), m_Value(right))))
    return asks_for_lane_0(left, is_true) || asks_for_lane_0(right, is_true);
  return match(condition, m_Not(m_Value(left))) && asks_for_lane_0(left, !is_true);
}

/// Whether a block of this branch's sides is reached only by lane 0.
bool is_for_lane_0(const DivergentIf& one, const BasicBlock& block) {
  for (unsigned side = 0; side < 2; ++side) {
    if (!asks_for_lane_0(one.branch->getCondition(), side == 0)) continue;
    const BasicBlock* start = one.branch->getSuccessor(side);
    const BasicBlock* other = one.branch->getSuccessor(1 - side);
    SmallPtrSet<const BasicBlock*, 16> seen;
    SmallVector<const BasicBlock*, 16> todo{start};
    bool is_here = false;
    while (!todo.empty()) {
      const BasicBlock* next = todo.pop_back_val();
      if (next == one.meets || !seen.insert(next).second) continue;
      is_here |= next == &block;
      todo.append(succ_begin(next), succ_end(next));
    }
    if (is_here && !seen.contains(other)) return true;
  }
  return false;
}

class CollectiveCheck {
 public:
  CollectiveCheck(const Function& function, const Shape& shape, const Uniformity& uniformity,
                  const ModuleFacts& facts)
      : function_(function), shape_(shape), uniformity_(uniformity), facts_(facts) {}

  bool run() {
    for (const DivergentIf& one : shape_.ifs)
      for (const BasicBlock* block : one.sides) check(*block, *one.branch);
    for (const Loop* loop : shape_.loops)
      for (const BasicBlock* block : loop->blocks()) check(*block, last_branch(*loop));
    return !reported_.empty();
  }

 private:
  StringRef name_of(const Instruction& instruction) const {
    StringRef name = collective_name(instruction);
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (name.empty() && call != nullptr && call->getCalledFunction() != nullptr)
      name = facts_.needs_all_lanes(*call->getCalledFunction());
    if (name.empty() && asm_kind(instruction) == AsmKind::kMatrixCommand &&
        !is_for_lane_0_only(*instruction.getParent()))
      name = "a command to the matrix unit (outside of `if (simt_lane() == 0)`)";
    return name;
  }

  bool is_for_lane_0_only(const BasicBlock& block) const {
    return any_of(shape_.ifs, [&](const DivergentIf& one) { return is_for_lane_0(one, block); });
  }

  void check(const BasicBlock& block, const BranchInst& branch) {
    for (const Instruction& instruction : block) {
      const StringRef name = name_of(instruction);
      if (name.empty() || !reported_.insert(&instruction).second) continue;
      const DebugLoc place = own_place(instruction.getDebugLoc());
      const auto place_key = std::pair<const DILocation*, StringRef>(place.get(), name);
      if (is_contained(places_, place_key)) continue;
      places_.push_back(place_key);
      report_error(function_, place,
                   name.str() + " needs all lanes of a warp, and here they may have parted at " +
                       place_text(branch.getDebugLoc()) + ", because of " +
                       cause_of(*branch.getCondition(), uniformity_) +
                       "; if all lanes do agree there, say so with simt_uniform()");
    }
  }

  const Function& function_;
  const Shape& shape_;
  const Uniformity& uniformity_;
  const ModuleFacts& facts_;
  SmallPtrSet<const Instruction*, 8> reported_;
  std::vector<std::pair<const DILocation*, StringRef>> places_;
};

}  // namespace

void remark_shape(const Shape& shape, const Uniformity& uniformity) {
  for (const DivergentIf& one : shape.ifs)
    remark(*one.branch->getParent(), own_place(one.branch->getDebugLoc()),
           "lanes may part at this branch because of " + cause_of(*one.branch->getCondition(), uniformity));
  for (const Loop* loop : shape.loops)
    remark(*loop->getHeader(), own_place(last_branch(*loop).getDebugLoc()),
           "lanes may leave this loop at different times because of " +
               cause_of(*last_branch(*loop).getCondition(), uniformity));
}

bool report_collectives(const Function& function, const Shape& shape, const Uniformity& uniformity,
                        const ModuleFacts& facts) {
  return CollectiveCheck(function, shape, uniformity, facts).run();
}

}  // namespace spica::simt
