// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/words.h"

#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

bool is_zero(const Value* value) {
  const auto* constant = dyn_cast<Constant>(value);
  return constant != nullptr && constant->isNullValue();
}

}  // namespace

Value* Words::bit(Value* condition) { return hide(b_, b_.CreateZExt(condition, b_.getInt32Ty())); }

Value* Words::mask(Value* condition) { return b_.CreateNeg(bit(condition)); }

std::pair<Value*, Value*> Words::split(Value* value) {
  return {b_.CreateTrunc(value, b_.getInt32Ty()), b_.CreateTrunc(b_.CreateLShr(value, 32), b_.getInt32Ty())};
}

Value* Words::join(Value* low, Value* high) {
  return b_.CreateOr(b_.CreateZExt(low, b_.getInt64Ty()),
                     b_.CreateShl(b_.CreateZExt(high, b_.getInt64Ty()), 32));
}

Value* Words::choose_word(Value* mask, Value* yes, Value* no) {
  if (is_zero(no)) return b_.CreateAnd(yes, mask);
  if (is_zero(yes)) return b_.CreateAnd(no, b_.CreateNot(mask));
  return b_.CreateXor(no, b_.CreateAnd(b_.CreateXor(yes, no), mask));
}

Value* Words::choose(Value* condition, Value* yes, Value* no) {
  // Not frozen: the back end gives an undefined constant another value at each use.
  if (isa<UndefValue>(yes) && isa<UndefValue>(no)) return Constant::getNullValue(yes->getType());
  if (isa<UndefValue>(yes)) return no;
  if (isa<UndefValue>(no)) return yes;
  // A side that is not chosen may be poison, which arithmetic would spread.
  condition = b_.CreateFreeze(condition);
  if (!isa<Constant>(yes)) yes = b_.CreateFreeze(yes);
  if (!isa<Constant>(no)) no = b_.CreateFreeze(no);
  if (yes->getType()->isIntegerTy(1))
    return b_.CreateOr(b_.CreateAnd(condition, yes), b_.CreateAnd(b_.CreateNot(condition), no));
  return choose_by(mask(condition), yes, no);
}

Value* Words::choose_by(Value* mask, Value* yes, Value* no) {
  Type* type = yes->getType();
  const auto as = [&](Type* integer, auto to, auto from) {
    Value* chosen = choose_by(mask, (b_.*to)(yes, integer, ""), (b_.*to)(no, integer, ""));
    return chosen == nullptr ? nullptr : (b_.*from)(chosen, type, "");
  };
  const auto bits = [&](Value* value, Type* to) { return b_.CreateBitCast(value, to); };
  if (type->isPointerTy())
    return as(b_.getInt32Ty(), &IRBuilder<>::CreatePtrToInt, &IRBuilder<>::CreateIntToPtr);
  if (type->isFloatTy() || type->isDoubleTy()) {
    Type* integer = b_.getIntNTy(type->getPrimitiveSizeInBits());
    return bits(choose_by(mask, bits(yes, integer), bits(no, integer)), type);
  }
  if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64) return nullptr;
  const unsigned width = type->getIntegerBitWidth();
  if (width == 32) return choose_word(mask, yes, no);
  Type* wide = width < 32 ? b_.getInt32Ty() : b_.getInt64Ty();
  if (width != 64)
    return b_.CreateTrunc(choose_by(mask, b_.CreateZExt(yes, wide), b_.CreateZExt(no, wide)), type);
  const auto [yes_low, yes_high] = split(yes);
  const auto [no_low, no_high] = split(no);
  return join(choose_word(mask, yes_low, no_low), choose_word(mask, yes_high, no_high));
}

Value* Words::compare(CmpInst::Predicate relation, Value* a, Value* b) {
  const unsigned width = a->getType()->getIntegerBitWidth();
  if (width <= 32 || CmpInst::isEquality(relation)) return b_.CreateICmp(relation, a, b);
  if (width == 64) return compare_64(relation, a, b);
  const auto wide = [&](Value* value) {
    return CmpInst::isSigned(relation) ? b_.CreateSExt(value, b_.getInt64Ty())
                                       : b_.CreateZExt(value, b_.getInt64Ty());
  };
  return compare_64(relation, wide(a), wide(b));
}

Value* Words::compare_equality(CmpInst::Predicate relation, Value* a, Value* b) {
  const auto [a_low, a_high] = split(a);
  const auto [b_low, b_high] = split(b);
  Value* difference = b_.CreateOr(b_.CreateXor(a_low, b_low), b_.CreateXor(a_high, b_high));
  return b_.CreateICmp(relation, hide(b_, difference), b_.getInt32(0));
}

Value* Words::compare_64(CmpInst::Predicate relation, Value* a, Value* b) {
  if (ICmpInst::isGT(relation) || ICmpInst::isLE(relation)) {
    std::swap(a, b);
    relation = CmpInst::getSwappedPredicate(relation);
  }
  const auto [a_low, a_high] = split(a);
  const auto [b_low, b_high] = split(b);
  Value* high =
      b_.CreateICmp(CmpInst::isSigned(relation) ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, a_high, b_high);
  Value* low = b_.CreateAnd(b_.CreateICmpEQ(a_high, b_high), b_.CreateICmpULT(a_low, b_low));
  // Hidden, lest the parts become one comparison of 64 bits again.
  Value* less = bit(b_.CreateOr(high, low));
  return b_.CreateICmp(ICmpInst::isLT(relation) ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ, less, b_.getInt32(0));
}

Value* Words::shift_64(Instruction::BinaryOps operation, Value* x, Value* amount) {
  const auto [low, high] = split(x);
  Value* n = b_.CreateTrunc(amount, b_.getInt32Ty());
  Value* is_far = mask(b_.CreateICmpNE(b_.CreateAnd(n, 32), b_.getInt32(0)));
  Value* near = b_.CreateAnd(n, 31);
  Value* rest = b_.CreateXor(near, 31);  // 31 - near; the last step is a shift by 1
  if (operation == Instruction::Shl) {
    Value* moved = b_.CreateShl(low, near);
    Value* both = b_.CreateOr(b_.CreateShl(high, near), b_.CreateLShr(b_.CreateLShr(low, 1), rest));
    return join(choose_word(is_far, b_.getInt32(0), moved), choose_word(is_far, moved, both));
  }
  Value* both = b_.CreateOr(b_.CreateLShr(low, near), b_.CreateShl(b_.CreateShl(high, 1), rest));
  Value* moved = b_.CreateBinOp(operation, high, near);
  Value* sign = operation == Instruction::AShr ? b_.CreateAShr(high, 31) : b_.getInt32(0);
  return join(choose_word(is_far, moved, both), choose_word(is_far, sign, moved));
}

}  // namespace spica::simt
