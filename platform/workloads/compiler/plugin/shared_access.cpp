// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/shared_access.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>

#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

/// Adds the objects that an address may be in.
void add_objects(SharedAccess& access, const Value* address) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(address, objects, nullptr, 0);
  for (const Value* object : objects) {
    if (isa<AllocaInst>(object)) continue;
    const auto* variable = dyn_cast<GlobalVariable>(object);
    if (variable == nullptr) access.is_anywhere = true;
    else if (variable->getSection() != ".args" && !variable->isConstant()) access.objects.push_back(variable);
  }
}

SharedAccess access_at(const Value* address, bool reads, bool writes) {
  SharedAccess access;
  add_objects(access, address);
  if (!access.is_anywhere && access.objects.empty()) return {};
  access.reads = reads;
  access.writes = writes;
  access.is_load = reads && !writes;
  return access;
}

SharedAccess anywhere() {
  SharedAccess access;
  access.reads = access.writes = access.is_anywhere = true;
  return access;
}

/// Fences and custom instructions, and nothing else.
bool has_no_access(StringRef text) {
  SmallVector<StringRef, 4> statements;
  SplitString(text, statements, "\n;");
  return all_of(statements, [](StringRef statement) {
    const StringRef words = statement.trim();
    return words.empty() || words.starts_with("fence") || words.contains("custom_");
  });
}

SharedAccess access_of_asm(const CallBase& call, const InlineAsm& code) {
  const std::string lower = StringRef(code.getAsmString()).lower();
  const StringRef text = StringRef(lower).trim();
  if (asm_kind(call) != AsmKind::kOther || has_no_access(text)) return {};
  bool clobbers = false, writes = false;
  SharedAccess access;
  unsigned argument = 0;
  for (const InlineAsm::ConstraintInfo& one : code.ParseConstraints()) {
    if (one.Type == InlineAsm::isClobber) clobbers |= is_contained(one.Codes, "{memory}");
    if (one.isIndirect && one.hasArg()) {
      add_objects(access, call.getArgOperand(argument));
      writes |= one.Type == InlineAsm::isOutput;
      access.reads = true;
    }
    argument += one.hasArg();
  }
  if (!access.reads) return clobbers ? anywhere() : SharedAccess();
  if (!access.is_anywhere && access.objects.empty()) return {};
  access.writes = writes;
  access.is_load = !writes;
  return access;
}

/// A function of numbers, such as expf(): nothing in its arguments or its result can be a lock.
bool is_arithmetic(const Function& function) {
  const FunctionType& type = *function.getFunctionType();
  return !type.isVarArg() && type.getReturnType()->isFloatingPointTy() && type.getNumParams() != 0 &&
         all_of(type.params(),
                [](const Type* one) { return one->isFloatingPointTy() || one->isIntegerTy(); });
}

}  // namespace

bool SharedAccess::may_meet(const SharedAccess& other) const {
  const auto is_some = [](const SharedAccess& one) { return one.is_anywhere || !one.objects.empty(); };
  if (is_anywhere || other.is_anywhere) return is_some(*this) && is_some(other);
  return any_of(objects, [&](const Value* object) { return is_contained(other.objects, object); });
}

void SharedAccess::add(const SharedAccess& other) {
  reads |= other.reads;
  writes |= other.writes;
  is_anywhere |= other.is_anywhere;
  objects.append(other.objects.begin(), other.objects.end());
}

SharedAccesses::SharedAccesses(const Module& module) {
  for (const Function& function : module)
    if (!function.isDeclaration() || is_arithmetic(function)) quiet_.insert(&function);
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const Function& function : module)
      if (!function.isDeclaration() && quiet_.contains(&function) && does_synchronise(function))
        is_changed |= quiet_.erase(&function);
  }
}

bool SharedAccesses::does_synchronise(const Function& function) const {
  return any_of(instructions(function), [this](const Instruction& one) {
    if (const auto* store = dyn_cast<StoreInst>(&one); store != nullptr && store->isSimple()) return false;
    if (isa<AnyMemIntrinsic>(one)) return false;
    const SharedAccess access = of(one);
    return access.reads || access.writes;
  });
}

bool SharedAccesses::synchronises(const CallBase& call) const {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return true;
  if (quiet_.contains(callee) || callee->isIntrinsic() || call.doesNotAccessMemory()) return false;
  if (callee->getName() != "simt_each_lane") return true;
  const auto* called = dyn_cast<Function>(call.getArgOperand(0));
  return called == nullptr || !quiet_.contains(called);
}

SharedAccess SharedAccesses::of(const Instruction& instruction) const {
  if (const auto* load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() ? SharedAccess() : access_at(load->getPointerOperand(), true, false);
  if (const auto* store = dyn_cast<StoreInst>(&instruction))
    return access_at(store->getPointerOperand(), false, true);
  if (const auto* operation = dyn_cast<AtomicRMWInst>(&instruction))
    return access_at(operation->getPointerOperand(), true, true);
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return access_at(exchange->getPointerOperand(), true, true);
  if (const auto* fill = dyn_cast<AnyMemIntrinsic>(&instruction))
    return access_at(fill->getRawDest(), false, true);
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr) return {};
  if (const auto* code = dyn_cast<InlineAsm>(call->getCalledOperand())) return access_of_asm(*call, *code);
  return synchronises(*call) ? anywhere() : SharedAccess();
}

}  // namespace spica::simt
