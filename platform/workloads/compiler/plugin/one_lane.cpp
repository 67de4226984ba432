// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/one_lane.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

#include "platform/workloads/compiler/plugin/module_facts.h"
#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Different in each lane.
bool names_lane(const Value& value, const ModuleFacts& facts) {
  const auto* argument = dyn_cast<Argument>(&value);
  return reads_lane(value) || (argument != nullptr && facts.is_task_number(*argument));
}

/// As names_lane(), or a bitwise or of such a value with others, which is 0 only where all are.
bool is_0_in_one_lane(Value* value, const ModuleFacts& facts) {
  Value *left = nullptr, *right = nullptr;
  if (match(value, m_Or(m_Value(left), m_Value(right))))
    return is_0_in_one_lane(left, facts) || is_0_in_one_lane(right, facts);
  return names_lane(*value, facts);
}

/// What the lane's number is where `condition` is `is_true`; nothing when that may be so in several lanes.
std::optional<uint64_t> lane_where(Value* condition, bool is_true, const ModuleFacts& facts) {
  ICmpInst::Predicate relation;
  Value *left = nullptr, *right = nullptr;
  ConstantInt* number = nullptr;
  if (match(condition, m_ICmp(relation, m_Value(left), m_ConstantInt(number))) &&
      ICmpInst::isEquality(relation)) {
    const bool is_equal = (relation == ICmpInst::ICMP_EQ) == is_true;
    if (is_equal && (names_lane(*left, facts) || (number->isZero() && is_0_in_one_lane(left, facts))))
      return number->getZExtValue();
    if (!number->isZero()) return std::nullopt;
    Value* word = nullptr;  // SIMT_IF asks the split's copy
    if (match(left, m_ExtractValue<1>(m_Value(word))) && asm_kind(*word) == AsmKind::kSplit)
      left = cast<CallInst>(word)->getArgOperand(0);
    return match(left, m_ZExt(m_Value(right))) ? lane_where(right, !is_equal, facts) : std::nullopt;
  }
  if (is_true ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
              : match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
    const auto first = lane_where(left, is_true, facts);
    return first.has_value() ? first : lane_where(right, is_true, facts);
  }
  return match(condition, m_Not(m_Value(left))) ? lane_where(left, !is_true, facts) : std::nullopt;
}

}  // namespace

OneLaneParts::OneLaneParts(Function& function, const DominatorTree& dominators, const ModuleFacts& facts)
    : dominators_(dominators) {
  for (BasicBlock& block : function) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (branch == nullptr || branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (unsigned side = 0; side < 2; ++side) {
      const auto lane = lane_where(branch->getCondition(), side == 0, facts);
      if (!lane.has_value()) continue;
      const BasicBlockEdge edge(&block, branch->getSuccessor(side));
      all_.push_back(edge);
      if (*lane == 0) lane_0_.push_back(edge);
    }
  }
}

bool OneLaneParts::is_behind(const Edges& edges, const BasicBlock& block) const {
  return any_of(edges, [&](const BasicBlockEdge& edge) { return dominators_.dominates(edge, &block); });
}

}  // namespace spica::simt
