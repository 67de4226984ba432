// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/messages.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>

#include <deque>

#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

constexpr char kPass[] = "spica";

/// As in the source. Release builds of the compiler keep no names but those of the debug information.
std::string name_of(const Argument& argument) {
  if (argument.hasName()) return "argument '" + argument.getName().str() + "'";
  if (const DISubprogram* about = argument.getParent()->getSubprogram())
    for (const DINode* node : about->getRetainedNodes())
      if (const auto* variable = dyn_cast<DILocalVariable>(node);
          variable != nullptr && variable->getArg() == argument.getArgNo() + 1)
        return "argument '" + variable->getName().str() + "'";
  return "argument " + std::to_string(argument.getArgNo() + 1);
}

/// What reads registers is written in assembly: the function of the library that was called for it.
std::string name_of_assembly(const CallBase& call) {
  std::string name;
  for (const DILocation* at = call.getDebugLoc().get();
       at != nullptr && at->getFilename().contains("sw/lib/include/"); at = at->getInlinedAt())
    if (const DISubprogram* about = at->getScope()->getSubprogram())
      name = about->getLinkageName().empty() ? about->getName().str() : demangle(about->getLinkageName());
  if (!name.empty()) return name;
  return reads_place_in_group(call) ? "get_local_id()" : "inline assembly";
}

/// Of a value that differs by itself, not for what it was computed from; empty: of none.
std::string source_of(const Value& value) {
  if (const auto* argument = dyn_cast<Argument>(&value)) return name_of(*argument);
  if (reads_lane(value)) return "the number of the lane";
  if (isa<AllocaInst>(value)) return "a local variable in memory";
  if (isa<AtomicRMWInst>(value) || isa<AtomicCmpXchgInst>(value)) return "the result of an atomic operation";
  if (const auto* load = dyn_cast<LoadInst>(&value); load != nullptr && !load->isSimple())
    return load->isAtomic() ? "an atomic value in memory" : "a volatile value in memory";
  const auto* call = dyn_cast<CallBase>(&value);
  if (call == nullptr || isa<IntrinsicInst>(call)) return "";
  const Function* callee = call->getCalledFunction();
  if (callee != nullptr) return "the result of " + demangle(callee->getName()).substr(0, 80);
  if (!call->isInlineAsm()) return "the result of a call through a pointer";
  return asm_kind(value) == AsmKind::kPure ? "" : "the result of " + name_of_assembly(*call);
}

}  // namespace

void report_error(const Function& function, const DebugLoc& place, const std::string& text) {
  function.getContext().diagnose(DiagnosticInfoUnsupported(function, text, place, DS_Error));
}

void remark(BasicBlock& block, const DebugLoc& place, const std::string& text) {
  OptimizationRemark one(kPass, "lanes", DiagnosticLocation(place), &block);
  one << text;
  block.getContext().diagnose(one);
}

void remark_analysis(Function& function, const std::string& text) {
  OptimizationRemarkAnalysis one(kPass, "counts", DiagnosticLocation(function.getSubprogram()),
                                 &function.getEntryBlock());
  one << text;
  function.getContext().diagnose(one);
}

DebugLoc own_place(const DebugLoc& place) {
  const DILocation* at = place.get();
  while (at != nullptr && at->getInlinedAt() != nullptr && at->getFilename().contains("sw/lib/include/"))
    at = at->getInlinedAt();
  return at;
}

std::string cause_of(const Use& use, const Uniformity& uniformity) {
  std::deque<const Use*> todo = {&use};
  SmallPtrSet<const Value*, 32> seen;
  while (!todo.empty()) {
    const Use& one = *todo.front();
    todo.pop_front();
    const Value& value = *one;
    if (!uniformity.is_divergent(value)) {
      if (uniformity.is_divergent(one)) return "a loop before it that lanes leave at different times";
      continue;
    }
    if (!seen.insert(&value).second) continue;
    if (std::string source = source_of(value); !source.empty()) return source;
    if (const auto* user = dyn_cast<Instruction>(&value))
      for (const Use& operand : user->operands()) todo.push_back(&operand);
  }
  return "the ways by which lanes got here";
}

}  // namespace spica::simt
