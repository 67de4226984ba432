// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/group_shared.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>
#include <vector>

#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

bool is_shared(const GlobalVariable& variable) { return variable.getSection() == ".spica.shared"; }

/// The accesses to a variable.
std::vector<IntrinsicInst*> accesses(GlobalVariable& variable) {
  std::vector<IntrinsicInst*> found;
  for (User* user : variable.users())
    if (auto* call = dyn_cast<IntrinsicInst>(user);
        call != nullptr && call->getIntrinsicID() == Intrinsic::threadlocal_address)
      found.push_back(call);
  return found;
}

/// For a variable that may need a constructor elsewhere, compilers call a function that returns its address: away with
/// it.
void replace_wrapper(GlobalVariable& variable) {
  Module& module = *variable.getParent();
  Function* wrapper = module.getFunction(("_ZTW" + variable.getName()).str());
  // Names of variables in the global namespace are not mangled, those of others are: _ZN1n1xE.
  if (wrapper == nullptr && variable.getName().starts_with("_Z"))
    wrapper = module.getFunction(("_ZTW" + variable.getName().drop_front(2)).str());
  if (wrapper == nullptr)
    wrapper =
        module.getFunction("_ZTW" + std::to_string(variable.getName().size()) + variable.getName().str());
  if (wrapper == nullptr) return;
  Function* address =
      Intrinsic::getDeclaration(&module, Intrinsic::threadlocal_address, {variable.getType()});
  for (User* user : make_early_inc_range(wrapper->users())) {
    auto* call = dyn_cast<CallInst>(user);
    if (call == nullptr) continue;
    IRBuilder<> builder(call);
    call->replaceAllUsesWith(builder.CreateCall(address, {&variable}));
    call->eraseFromParent();
  }
  if (wrapper->use_empty()) wrapper->eraseFromParent();
}

/// What debuggers read: the offset and tp, register 4.
void describe(GlobalVariable& variable) {
  SmallVector<DIGlobalVariableExpression*, 1> old;
  variable.getDebugInfo(old);
  variable.eraseMetadata(LLVMContext::MD_dbg);
  for (DIGlobalVariableExpression* one : old) {
    const uint64_t operations[] = {dwarf::DW_OP_breg4, 0, dwarf::DW_OP_plus};
    LLVMContext& context = variable.getContext();
    variable.addDebugInfo(
        DIGlobalVariableExpression::get(context, one->getVariable(), DIExpression::get(context, operations)));
    // The list of the file has the old one.
    if (DIGlobalVariableExpression* made =
            cast<DIGlobalVariableExpression>(variable.getMetadata(LLVMContext::MD_dbg)))
      one->replaceOperandWith(1, made->getExpression());
  }
}

void place(GlobalVariable& variable) {
  Module& module = *variable.getParent();
  Constant* offset_of = &variable;
  const std::vector<IntrinsicInst*> calls = accesses(variable);
  if (variable.isDeclaration()) {
    offset_of = module.getOrInsertGlobal("__group_shared_end", Type::getInt8Ty(module.getContext()));
  } else {
    variable.setSection((".bss.spica.shared." + variable.getName()).str());
    variable.setThreadLocalMode(GlobalValue::NotThreadLocal);
    describe(variable);
  }
  for (IntrinsicInst* call : calls) {
    IRBuilder<> builder(call);
    Value* base = make_pure_asm(builder, builder.getPtrTy(), {}, "mv $0, tp # simt uniform", "=r");
    Value* offset = ConstantExpr::getPtrToInt(offset_of, builder.getInt32Ty());
    call->replaceAllUsesWith(builder.CreateGEP(builder.getInt8Ty(), base, offset));
    call->eraseFromParent();
  }
  if (variable.isDeclaration() && variable.use_empty()) variable.eraseFromParent();
}

/// Adds all functions that mention one of those.
void add_callers(const Module& module, std::set<const Function*>& functions) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const Function& function : module)
      for (const Instruction& instruction : instructions(function))
        for (const Value* operand : instruction.operands())
          if (const auto* callee = dyn_cast<Function>(operand->stripPointerCasts());
              callee != nullptr && functions.count(callee) != 0)
            is_changed |= functions.insert(&function).second;
  }
}

}  // namespace

std::set<const Function*> place_group_shared(Module& module) {
  std::vector<GlobalVariable*> variables;
  for (GlobalVariable& variable : module.globals())
    if (is_shared(variable)) variables.push_back(&variable);
  std::set<const Function*> functions;
  for (GlobalVariable* variable : variables) {
    replace_wrapper(*variable);
    if (variable->isDeclaration())
      for (const IntrinsicInst* call : accesses(*variable)) functions.insert(call->getFunction());
    place(*variable);
  }
  if (!functions.empty()) add_callers(module, functions);
  return functions;
}

}  // namespace spica::simt
