// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl/module/retarget.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

namespace spica::opencl {

using namespace llvm;

namespace {

constexpr char kTriple[] = "riscv32-unknown-unknown-elf";
constexpr char kDataLayout[] = "e-m:e-p:32:32-i64:64-n32-S128";  // of the RISC-V target with the ABI ilp32f

/// Attributes of the other target, or of code for a debugger.
constexpr const char* kForeign[] = {"target-cpu",
                                    "target-features",
                                    "tune-cpu",
                                    "frame-pointer",
                                    "no-builtins",
                                    "stack-protector-buffer-size",
                                    "uniform-work-group-size"};

void replace_attributes(Function& function) {
  for (const char* name : kForeign) function.removeFnAttr(name);
  function.setCallingConv(CallingConv::C);
  for (Instruction& instruction : instructions(function))
    if (auto* call = dyn_cast<CallBase>(&instruction)) {
      call->setCallingConv(CallingConv::C);
      for (const char* name : kForeign) call->removeFnAttr(name);
    }
}

/// Of those, what the back end reads: the form of the debug information.
void keep_debug_flags(Module& module) {
  NamedMDNode* flags = module.getModuleFlagsMetadata();
  if (flags == nullptr) return;
  SmallVector<MDNode*, 4> kept;
  for (MDNode* flag : flags->operands()) {
    const StringRef name = cast<MDString>(flag->getOperand(1))->getString();
    if (name == "Dwarf Version" || name == "Debug Info Version" || name == "wchar_size") kept.push_back(flag);
  }
  flags->clearOperands();
  for (MDNode* flag : kept) flags->addOperand(flag);
}

class ConstantCasts {
 public:
  /// Those that a value uses, directly or inside of other constants.
  void find(const Value& user) {
    const auto* of = dyn_cast<User>(&user);
    if (of == nullptr) return;
    for (const Use& operand : of->operands()) {
      auto* constant = dyn_cast<Constant>(operand.get());
      if (constant == nullptr || isa<GlobalValue>(constant) || !seen_.insert(constant).second) continue;
      find(*constant);
      if (auto* one = dyn_cast<ConstantExpr>(constant);
          one != nullptr && one->getOpcode() == Instruction::AddrSpaceCast)
        casts_.push_back(one);
    }
  }

  void replace() {
    for (ConstantExpr* one : casts_) {
      Constant* from = one->getOperand(0);
      Type* word = Type::getInt32Ty(from->getContext());
      one->replaceAllUsesWith(
          ConstantExpr::getIntToPtr(ConstantExpr::getPtrToInt(from, word), one->getType()));
    }
  }

 private:
  SmallPtrSet<const Constant*, 32> seen_;
  SmallVector<ConstantExpr*, 8> casts_;  // inner ones first
};

void replace_constant_casts(Module& module) {
  ConstantCasts casts;
  for (const GlobalVariable& variable : module.globals()) casts.find(variable);
  for (Function& function : module)
    for (const Instruction& instruction : instructions(function)) casts.find(instruction);
  casts.replace();
}

void replace_casts(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    auto* cast = dyn_cast<AddrSpaceCastInst>(&instruction);
    if (cast == nullptr) continue;
    IRBuilder<> builder(cast);
    Type* from = cast->getSrcTy();
    Type* word = builder.getInt32Ty();
    if (const auto* vector = dyn_cast<VectorType>(from))
      word = VectorType::get(word, vector->getElementCount());
    cast->replaceAllUsesWith(
        builder.CreateIntToPtr(builder.CreatePtrToInt(cast->getOperand(0), word), cast->getDestTy()));
    cast->eraseFromParent();
  }
}

}  // namespace

void retarget(Module& module) {
  module.setTargetTriple(kTriple);
  module.setDataLayout(kDataLayout);
  keep_debug_flags(module);
  for (const char* name : {"nvvm.annotations", "opencl.ocl.version", "opencl.used.extensions",
                           "opencl.used.optional.core.features", "opencl.compiler.options"})
    if (NamedMDNode* node = module.getNamedMetadata(name)) node->eraseFromParent();
  replace_constant_casts(module);
  for (Function& function : module) {
    replace_attributes(function);
    replace_casts(function);
  }
}

}  // namespace spica::opencl
