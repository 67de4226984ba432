// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/branchless.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "platform/workloads/compiler/plugin/branchless_intrinsics.h"
#include "platform/workloads/compiler/plugin/simt_asm.h"
#include "platform/workloads/compiler/plugin/words.h"

namespace spica::simt {

using namespace llvm;

namespace {

bool has_width(const Value* value, unsigned above, unsigned most) {
  const Type* type = value->getType();
  return type->isIntegerTy() && type->getIntegerBitWidth() > above && type->getIntegerBitWidth() <= most;
}

Lowered lower_select(SelectInst& select, Words& words) {
  Value* chosen = words.choose(select.getCondition(), select.getTrueValue(), select.getFalseValue());
  return chosen != nullptr ? Lowered{chosen, ""}
                           : Lowered{nullptr, "a choice (?:) between values of this type"};
}

/// The back end would compare a product instead, and not for equality.
bool is_remainder(const Value* value) {
  const auto* binary = dyn_cast<BinaryOperator>(value);
  return binary != nullptr &&
         (binary->getOpcode() == Instruction::URem || binary->getOpcode() == Instruction::SRem);
}

Lowered lower_compare(ICmpInst& compare, Words& words) {
  Value* left = compare.getOperand(0);
  if (!has_width(left, 32, 64)) return {};
  if (compare.isEquality() && left->getType()->isIntegerTy(64) &&
      (is_remainder(left) || is_remainder(compare.getOperand(1))))
    return {words.compare_equality(compare.getPredicate(), left, compare.getOperand(1)), ""};
  if (compare.isEquality()) return {};
  return {words.compare(compare.getPredicate(), left, compare.getOperand(1)), ""};
}

Lowered lower_shift(BinaryOperator& shift, Words& words) {
  if (!has_width(&shift, 32, 128) || isa<Constant>(shift.getOperand(1))) return {};
  if (!shift.getType()->isIntegerTy(64)) return {nullptr, "a shift of an integer of this width"};
  return {words.shift_64(shift.getOpcode(), shift.getOperand(0), shift.getOperand(1)), ""};
}

/// Of a condition: the back end would choose between 0 and 1.
Lowered lower_conversion(CastInst& conversion, IRBuilder<>& builder) {
  using namespace PatternMatch;
  Value* from = conversion.getOperand(0);
  const bool is_signed = isa<SIToFPInst>(conversion);
  Value* condition = nullptr;
  if (from->getType()->isIntegerTy(1)) {
    from = is_signed ? builder.CreateSExt(from, builder.getInt32Ty())
                     : builder.CreateZExt(from, builder.getInt32Ty());
  } else if (!match(from, m_ZExtOrSExt(m_Value(condition))) || !condition->getType()->isIntegerTy(1) ||
             !from->getType()->isIntegerTy(32)) {
    return {};
  }
  return {builder.CreateCast(conversion.getOpcode(), hide(builder, from), conversion.getType()), ""};
}

/// To 64 bits, of a number in memory that has other uses: the back end would load 64 bits, and compare them.
Lowered lower_extension(CastInst& extension, IRBuilder<>& builder) {
  using namespace PatternMatch;
  Value* from = extension.getOperand(0);
  if (!has_width(&extension, 32, 64) || !has_width(from, 1, 32)) return {};
  const Value* loaded = from;
  bool is_shared = !from->hasOneUse();
  const Value* inner = nullptr;
  for (; match(loaded, m_CombineOr(m_Trunc(m_Value(inner)), m_BitwiseLogic(m_Value(inner), m_Constant())));
       loaded = inner)
    is_shared |= !inner->hasOneUse();
  if (!is_shared || !isa<LoadInst>(loaded)) return {};
  Value* word = builder.CreateCast(extension.getOpcode(), from, builder.getInt32Ty());
  return {builder.CreateCast(extension.getOpcode(), hide(builder, word), extension.getType()), ""};
}

Lowered lower(Instruction& instruction) {
  IRBuilder<> builder(&instruction);
  Words words(builder);
  if (auto* select = dyn_cast<SelectInst>(&instruction)) return lower_select(*select, words);
  if (auto* compare = dyn_cast<ICmpInst>(&instruction)) return lower_compare(*compare, words);
  if (instruction.isShift()) return lower_shift(cast<BinaryOperator>(instruction), words);
  if (isa<UIToFPInst>(instruction) || isa<SIToFPInst>(instruction))
    return lower_conversion(cast<CastInst>(instruction), builder);
  if (isa<ZExtInst>(instruction) || isa<SExtInst>(instruction))
    return lower_extension(cast<CastInst>(instruction), builder);
  if (auto* call = dyn_cast<IntrinsicInst>(&instruction)) return lower_intrinsic(*call, builder);
  return {};
}

/// A choice on which all lanes agree may become a branch; of conditions it never should: its two sides may
/// differ, and with it what is made of both.
bool may_part(const Instruction& instruction, const Uniformity& uniformity) {
  if (is_rounding(instruction))
    return true;  // the back end would call floorf() and the like, which the library has not
  if (!uniformity.is_divergent(instruction)) return false;
  const auto* select = dyn_cast<SelectInst>(&instruction);
  return select == nullptr || select->getType()->isIntegerTy(1) ||
         uniformity.is_divergent(select->getOperandUse(0));
}

}  // namespace

std::vector<std::pair<Instruction*, StringRef>> remove_hidden_branches(Function& function,
                                                                       const Uniformity& uniformity,
                                                                       unsigned& replaced) {
  // The new values are unknown to the analysis, so all are found before any is replaced.
  SmallVector<Instruction*, 32> found;
  for (Instruction& instruction : instructions(function))
    if (!instruction.getType()->isVoidTy() && may_part(instruction, uniformity))
      found.push_back(&instruction);
  std::vector<std::pair<Instruction*, StringRef>> impossible;
  for (Instruction* instruction : found) {
    const Lowered lowered = lower(*instruction);
    if (!lowered.problem.empty()) impossible.emplace_back(instruction, lowered.problem);
    if (lowered.value == nullptr) continue;
    instruction->replaceAllUsesWith(lowered.value);
    instruction->eraseFromParent();
    ++replaced;
  }
  return impossible;
}

}  // namespace spica::simt
