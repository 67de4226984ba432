// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/lane_loops.h"

#include <llvm/IR/InstIterator.h>

#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

bool has_instruction(const AtomicRMWInst& operation) {
  const uint64_t bits =
      operation.getType()->isPointerTy() ? 32 : operation.getType()->getPrimitiveSizeInBits();
  if (bits < 32) return false;
  switch (operation.getOperation()) {
    case AtomicRMWInst::Xchg:
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Xor: return true;  // of 64 bits: functions of the library
    case AtomicRMWInst::Max:
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMax:
    case AtomicRMWInst::UMin: return bits == 32;
    default: return false;
  }
}

bool is_one_by_one(const Instruction& instruction, const Uniformity& uniformity) {
  if (isa<AtomicCmpXchgInst>(instruction)) return true;
  if (const auto* operation = dyn_cast<AtomicRMWInst>(&instruction)) return !has_instruction(*operation);
  const auto* call = dyn_cast<CallInst>(&instruction);
  return call != nullptr && call->getCalledFunction() == nullptr && !call->isInlineAsm() &&
         !call->isMustTailCall() && uniformity.is_divergent(call->getCalledOperandUse());
}

}  // namespace

SmallVector<Instruction*, 4> one_by_one(Function& function, const Uniformity& uniformity) {
  SmallVector<Instruction*, 4> found;
  for (Instruction& instruction : instructions(function))
    if (is_one_by_one(instruction, uniformity)) found.push_back(&instruction);
  return found;
}

void insert_lane_loop(Instruction& instruction) {
  BasicBlock* before = instruction.getParent();
  BasicBlock* after = before->splitBasicBlock(&instruction, "lanes.done");
  Function* function = before->getParent();
  LLVMContext& context = function->getContext();
  BasicBlock* head = BasicBlock::Create(context, "lanes", function, after);
  BasicBlock* turn = BasicBlock::Create(context, "lane", function, after);
  BasicBlock* next = BasicBlock::Create(context, "lanes.next", function, after);

  IRBuilder<> builder(before->getTerminator());
  builder.SetCurrentDebugLocation(instruction.getDebugLoc());
  Value* active = read_mask(builder);
  Value* mine = builder.CreateShl(builder.getInt32(1), read_lane(builder));
  before->getTerminator()->setSuccessor(0, head);

  builder.SetInsertPoint(head);
  PHINode* rest = builder.CreatePHI(builder.getInt32Ty(), 2);
  Type* type = instruction.getType();
  PHINode* kept = type->isVoidTy() ? nullptr : builder.CreatePHI(type, 2);
  Value* first = builder.CreateAnd(rest, builder.CreateNeg(rest));
  builder.CreateCondBr(builder.CreateICmpEQ(first, mine), turn, next);

  builder.SetInsertPoint(turn);
  BranchInst* turn_ends = builder.CreateBr(next);
  builder.SetInsertPoint(next);
  PHINode* result = kept == nullptr ? nullptr : builder.CreatePHI(type, 2);
  if (result != nullptr) instruction.replaceAllUsesWith(result);
  instruction.moveBefore(turn_ends);
  if (result != nullptr) {
    result->addIncoming(&instruction, turn);
    result->addIncoming(kept, head);
    kept->addIncoming(PoisonValue::get(type), before);
    kept->addIncoming(result, next);
  }
  Value* left = builder.CreateAnd(rest, builder.CreateSub(rest, builder.getInt32(1)));
  rest->addIncoming(active, before);
  rest->addIncoming(left, next);
  builder.CreateCondBr(builder.CreateICmpNE(left, builder.getInt32(0)), head, after);
}

}  // namespace spica::simt
