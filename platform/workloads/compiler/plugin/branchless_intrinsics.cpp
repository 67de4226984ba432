// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/branchless_intrinsics.h"

#include "platform/workloads/compiler/plugin/simt_asm.h"
#include "platform/workloads/compiler/plugin/words.h"

namespace spica::simt {

using namespace llvm;

namespace {

class IntrinsicLowering {
 public:
  IntrinsicLowering(IntrinsicInst& call, IRBuilder<>& builder) : call_(call), b_(builder), words_(builder) {}

  Lowered run();

 private:
  Value* argument(unsigned i) const { return call_.getArgOperand(i); }
  Type* type() const { return call_.getType(); }
  unsigned width() const { return type()->isIntegerTy() ? type()->getIntegerBitWidth() : 0; }

  Value* smaller_or_larger(CmpInst::Predicate relation) {
    return words_.choose(words_.compare(relation, argument(0), argument(1)), argument(0), argument(1));
  }
  Value* count_zeros_32(Value* x, bool leading);
  Value* count_zeros(bool leading);
  Value* funnel_shift(bool left);
  Value* sum_or_difference() {
    return is_sum() ? b_.CreateAdd(argument(0), argument(1)) : b_.CreateSub(argument(0), argument(1));
  }
  bool is_sum() const;
  bool is_signed() const;
  Value* overflows(Value* result);
  Value* saturating();
  Value* with_overflow();
  Value* three_way(bool is_signed);
  Value* absolute();
  Value* ordered_float(Intrinsic::ID number);
  Value* rounded(StringRef mode);
  Lowered rounding(StringRef mode) {
    if (type()->isDoubleTy()) return {};  // a function without branches (sw/lib/double_functions.cpp)
    return type()->isFloatTy() ? Lowered{rounded(mode), ""}
                               : Lowered{nullptr, "a rounding function of this type"};
  }

  IntrinsicInst& call_;
  IRBuilder<>& b_;
  Words words_;
};

/// A zero gets a bit at the far end, which is one place short of the answer.
Value* IntrinsicLowering::count_zeros_32(Value* x, bool leading) {
  Value* is_zero = words_.bit(b_.CreateICmpEQ(x, b_.getInt32(0)));
  Value* never_zero = b_.CreateOr(x, leading ? is_zero : b_.CreateShl(is_zero, 31));
  const Intrinsic::ID count = leading ? Intrinsic::ctlz : Intrinsic::cttz;
  return b_.CreateAdd(b_.CreateBinaryIntrinsic(count, never_zero, b_.getTrue()), is_zero);
}

Value* IntrinsicLowering::count_zeros(bool leading) {
  Value* x = argument(0);
  if (width() == 64) {
    const auto [low, high] = words_.split(x);
    Value* first = leading ? high : low;
    Value* second = leading ? low : high;
    Value* count = words_.choose(b_.CreateICmpEQ(first, b_.getInt32(0)),
                                 b_.CreateAdd(count_zeros_32(second, leading), b_.getInt32(32)),
                                 count_zeros_32(first, leading));
    return b_.CreateZExt(count, type());
  }
  if (width() == 32) return count_zeros_32(x, leading);
  Value* wide = b_.CreateZExt(x, b_.getInt32Ty());
  Value* count = leading ? b_.CreateSub(count_zeros_32(wide, true), b_.getInt32(32 - width()))
                         : count_zeros_32(b_.CreateOr(wide, b_.getInt32(1u << width())), false);
  return b_.CreateTrunc(count, type());
}

Value* IntrinsicLowering::funnel_shift(bool left) {
  Value* n = b_.CreateAnd(argument(2), 63);
  Value* rest = b_.CreateXor(n, 63);  // 63 - n; the last step is a shift by 1
  Value *high = argument(0), *low = argument(1);
  if (left)
    return b_.CreateOr(words_.shift_64(Instruction::Shl, high, n),
                       words_.shift_64(Instruction::LShr, b_.CreateLShr(low, 1), rest));
  return b_.CreateOr(words_.shift_64(Instruction::Shl, b_.CreateShl(high, 1), rest),
                     words_.shift_64(Instruction::LShr, low, n));
}

bool IntrinsicLowering::is_sum() const {
  switch (call_.getIntrinsicID()) {
    case Intrinsic::uadd_sat:
    case Intrinsic::sadd_sat:
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::sadd_with_overflow: return true;
    default: return false;
  }
}

bool IntrinsicLowering::is_signed() const {
  switch (call_.getIntrinsicID()) {
    case Intrinsic::sadd_sat:
    case Intrinsic::ssub_sat:
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::ssub_with_overflow: return true;
    default: return false;
  }
}

/// Whether a sum or difference is not the true one.
Value* IntrinsicLowering::overflows(Value* result) {
  Value *a = argument(0), *b = argument(1);
  if (!is_signed())
    return is_sum() ? words_.compare(CmpInst::ICMP_ULT, result, a) : words_.compare(CmpInst::ICMP_ULT, a, b);
  Value* other = is_sum() ? b_.CreateXor(b, result) : b_.CreateXor(a, b);
  Value* signs = b_.CreateAnd(b_.CreateXor(a, result), other);
  return b_.CreateTrunc(b_.CreateLShr(signs, signs->getType()->getIntegerBitWidth() - 1), b_.getInt1Ty());
}

Value* IntrinsicLowering::saturating() {
  Value* result = sum_or_difference();
  Value* bound = is_sum() ? ConstantInt::getAllOnesValue(type()) : ConstantInt::getNullValue(type());
  if (is_signed()) {  // the largest number, or the smallest below 0
    Value* sign = b_.CreateAShr(argument(0), width() - 1);
    bound = b_.CreateXor(sign, ConstantInt::get(type(), APInt::getSignedMaxValue(width())));
  }
  return words_.choose(overflows(result), bound, result);
}

Value* IntrinsicLowering::with_overflow() {
  Value* result = sum_or_difference();
  Value* pair = b_.CreateInsertValue(PoisonValue::get(type()), result, 0);
  return b_.CreateInsertValue(pair, overflows(result), 1);
}

Value* IntrinsicLowering::three_way(bool is_signed) {
  const auto holds = [&](CmpInst::Predicate relation) {
    return words_.bit(words_.compare(relation, argument(0), argument(1)));
  };
  Value* more = holds(is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT);
  Value* less = holds(is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT);
  return b_.CreateSExtOrTrunc(b_.CreateSub(more, less), type());
}

/// Also for 32 bits: the back end makes a branch of llvm.abs where other code needs the negated number.
Value* IntrinsicLowering::absolute() {
  if (width() < 32) {
    Value* wide = b_.CreateSExt(argument(0), b_.getInt32Ty());
    Value* sign = hide(b_, b_.CreateAShr(wide, 31));
    return b_.CreateTrunc(b_.CreateSub(b_.CreateXor(wide, sign), sign), type());
  }
  Value* high = width() == 64 ? words_.split(argument(0)).second : argument(0);
  Value* sign = hide(b_, b_.CreateAShr(high, 31));
  if (width() == 64) sign = words_.join(sign, sign);
  return b_.CreateSub(b_.CreateXor(argument(0), sign), sign);
}

/// fmin.s and fmax.s take the number where the other is none.
Value* IntrinsicLowering::ordered_float(Intrinsic::ID number) {
  Value *a = argument(0), *b = argument(1);
  return words_.choose(b_.CreateFCmpUNO(a, b), b_.CreateFAdd(a, b), b_.CreateBinaryIntrinsic(number, a, b));
}

/// To an integer and back; from 2^23 on all numbers are whole.
Value* IntrinsicLowering::rounded(StringRef mode) {
  Value* x = argument(0);
  const std::string text = mode.empty() ? "fcvt.w.s $0, $1" : "fcvt.w.s $0, $1, " + mode.str();
  Value* whole = make_pure_asm(b_, b_.getInt32Ty(), {x}, text, "=r,f");
  Value* back = b_.CreateBinaryIntrinsic(Intrinsic::copysign, b_.CreateSIToFP(whole, type()), x);
  Value* is_small =
      b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(Intrinsic::fabs, x), ConstantFP::get(type(), 8388608.0));
  return words_.choose(is_small, back, x);
}

Lowered IntrinsicLowering::run() {
  const bool is_wide = width() == 64;
  switch (call_.getIntrinsicID()) {
    case Intrinsic::umin: return {smaller_or_larger(CmpInst::ICMP_ULT), ""};
    case Intrinsic::umax: return {smaller_or_larger(CmpInst::ICMP_UGT), ""};
    case Intrinsic::smin: return {smaller_or_larger(CmpInst::ICMP_SLT), ""};
    case Intrinsic::smax: return {smaller_or_larger(CmpInst::ICMP_SGT), ""};
    case Intrinsic::ctlz: return {count_zeros(true), ""};
    case Intrinsic::cttz: return {count_zeros(false), ""};
    case Intrinsic::fshl: return {is_wide && !isa<Constant>(argument(2)) ? funnel_shift(true) : nullptr, ""};
    case Intrinsic::fshr: return {is_wide && !isa<Constant>(argument(2)) ? funnel_shift(false) : nullptr, ""};
    case Intrinsic::abs: return {is_wide || (width() != 0 && width() <= 32) ? absolute() : nullptr, ""};
    case Intrinsic::uadd_sat:
    case Intrinsic::sadd_sat:
    case Intrinsic::usub_sat:
    case Intrinsic::ssub_sat: return {saturating(), ""};
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::usub_with_overflow:
    case Intrinsic::ssub_with_overflow:
      return {argument(0)->getType()->isIntegerTy(64) ? with_overflow() : nullptr, ""};
    case Intrinsic::umul_with_overflow:
    case Intrinsic::smul_with_overflow:
      return argument(0)->getType()->isIntegerTy(64)
                 ? Lowered{nullptr, "a 64-bit multiplication with a test of overflow"}
                 : Lowered{};
    case Intrinsic::scmp: return {three_way(true), ""};
    case Intrinsic::ucmp: return {three_way(false), ""};
    case Intrinsic::minimum: return {ordered_float(Intrinsic::minnum), ""};
    case Intrinsic::maximum: return {ordered_float(Intrinsic::maxnum), ""};
    case Intrinsic::floor: return rounding("rdn");
    case Intrinsic::ceil: return rounding("rup");
    case Intrinsic::trunc: return rounding("rtz");
    case Intrinsic::round: return rounding("rmm");
    case Intrinsic::roundeven: return rounding("rne");
    case Intrinsic::rint:
    case Intrinsic::nearbyint: return rounding("");
    case Intrinsic::fptosi_sat:
    case Intrinsic::fptoui_sat: return {nullptr, "a saturating conversion to an integer"};
    case Intrinsic::sshl_sat:
    case Intrinsic::ushl_sat: return {nullptr, "a saturating shift"};
    default: return {};
  }
}

}  // namespace

bool is_rounding(const Instruction& instruction) {
  const auto* call = dyn_cast<IntrinsicInst>(&instruction);
  if (call == nullptr || !call->getType()->isFloatTy()) return false;
  switch (call->getIntrinsicID()) {
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::round:
    case Intrinsic::roundeven:
    case Intrinsic::rint:
    case Intrinsic::nearbyint: return true;
    default: return false;
  }
}

Lowered lower_intrinsic(IntrinsicInst& call, IRBuilder<>& builder) {
  return IntrinsicLowering(call, builder).run();
}

}  // namespace spica::simt
