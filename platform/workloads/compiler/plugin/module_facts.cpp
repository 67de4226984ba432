// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/module_facts.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <string>

#include "platform/workloads/compiler/plugin/one_lane.h"
#include "platform/workloads/compiler/plugin/simt_asm.h"
#include "platform/workloads/compiler/plugin/uniformity.h"
#include "platform/workloads/compiler/plugin/variables.h"
#include "platform/workloads/compiler/plugin/waits.h"

namespace spica::simt {

using namespace llvm;

namespace {

/// A function of the library that calls one that it is given.
struct Caller {
  StringRef name;
  unsigned function;  // which of its arguments is the function
  int first, second;  // which of its arguments become the function's
};
constexpr int kPerLane = -1, kSame = -2;  // no argument, but a value that differs, or does not
constexpr Caller kCallers[] = {
    {"spawn_tasks", 1, kPerLane, kSame}, {"simt_each_lane", 0, kSame, kSame}, {"simt_with_mask", 0, 1, 2}};

const Caller* caller_of(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return nullptr;
  for (const Caller& caller : kCallers)
    if (callee->getName() == caller.name) return &caller;
  return nullptr;
}

/// The call by way of a library function, when `use` is one.
const Caller* caller_by(const Use& use) {
  const auto* call = dyn_cast<CallBase>(use.getUser());
  const Caller* caller = call != nullptr ? caller_of(*call) : nullptr;
  return caller != nullptr && call->isArgOperand(&use) && call->getArgOperandNo(&use) == caller->function
             ? caller
             : nullptr;
}

/// All uses by the program.
template <class Predicate>
bool all_uses(const Function& function, Predicate predicate) {
  return all_of(function.uses(), [&](const Use& use) { return is_for_debugger(use) || predicate(use); });
}

bool is_direct_call(const Use& use) {
  const auto* call = dyn_cast<CallBase>(use.getUser());
  return call != nullptr && call->isCallee(&use) &&
         call->getFunctionType() == cast<Function>(use)->getFunctionType();
}

/// The variable whose value a constant is part of.
const GlobalVariable* table_of(const Use& use) {
  const User* user = use.getUser();
  while (isa<ConstantAggregate>(user) && user->hasOneUse()) user = user->user_back();
  return dyn_cast<GlobalVariable>(user);
}

bool is_constructor(const Use& use) {
  const GlobalVariable* table = table_of(use);
  return table != nullptr && table->getName() == "llvm.global_ctors";
}

/// SPICA_KERNEL: the dispatcher of work groups starts it, with the same argument in all lanes.
bool is_kernel_use(const Use& use) {
  const GlobalVariable* table = table_of(use);
  return table != nullptr && table->getSection() == ".spica.kernels";
}
bool is_kernel(const Function& function) {
  return any_of(function.uses(), is_kernel_use) &&
         all_uses(function, [](const Use& use) { return is_kernel_use(use) || is_direct_call(use); });
}

/// Whether the program may have its address, other than to start it with all lanes.
bool has_pointer(const Function& function) {
  return !all_uses(function, [](const Use& use) {
    return is_direct_call(use) || caller_by(use) != nullptr || is_constructor(use) || is_kernel_use(use);
  });
}

bool is_main(const Function& function) { return function.getName() == "main" && function.use_empty(); }

/// Functions of the library that give the same to all lanes.
bool is_uniform_library_function(const Function& function) { return function.getName() == "spawn_threads"; }

}  // namespace

StringRef collective_name(const Instruction& instruction) {
  switch (asm_kind(instruction)) {
    case AsmKind::kBarrier: return "a barrier";
    case AsmKind::kMask: return "a change of the thread mask (tmc, pred)";
    case AsmKind::kSpawn: return "a start of warps (wspawn)";
    case AsmKind::kAllLanes: return "an instruction of a tensor core or of warp matrices";
    default: break;
  }
  const auto* call = dyn_cast<CallBase>(&instruction);
  const Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  if (callee == nullptr) return "";
  if (callee->getName() == "spawn_tasks") return "spawn_tasks()";
  return callee->getName() == "spawn_barrier" ? "spawn_barrier()" : "";
}

ModuleFacts::ModuleFacts(Module& module, bool is_whole_program) : accesses_(module) {
  find_known(module, is_whole_program);
  find_one_lane_calls(module);
  find_one_lane(module);
  find_all_lanes(module);
  find_needs_others(module);
  find_uniform(module);
}

void ModuleFacts::find_known(Module& module, bool is_whole_program) {
  for (const Function& function : module) {
    if (function.isDeclaration() || function.use_empty()) continue;
    if (!function.hasLocalLinkage() && (!is_whole_program || function.getName() == "main")) continue;
    if (all_uses(function, [](const Use& use) {
          return is_direct_call(use) || caller_by(use) != nullptr || is_constructor(use);
        }))
      known_.insert(&function);
    const auto by_number = [](const Use& use) {
      const Caller* caller = caller_by(use);
      return caller != nullptr && caller->first == kPerLane;
    };
    if (known_.contains(&function) && !function.arg_empty() && all_uses(function, by_number))
      task_numbers_.insert(function.getArg(0));
  }
}

void ModuleFacts::find_one_lane_calls(Module& module) {
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    const DominatorTree dominators(function);
    const OneLaneParts parts(function, dominators, *this);
    for (const BasicBlock& block : function) {
      if (!parts.contains(block)) continue;
      for (const Instruction& instruction : block)
        if (const auto* call = dyn_cast<CallBase>(&instruction)) one_lane_calls_.insert(call);
    }
  }
}

bool ModuleFacts::is_one_lane_use(const Use& use) const {
  if (is_constructor(use)) return true;
  if (const Caller* caller = caller_by(use)) return caller->name == "simt_each_lane";
  const auto* call = cast<CallBase>(use.getUser());
  return one_lane_calls_.contains(call) || runs_in_one_lane(*call->getFunction());
}

void ModuleFacts::find_one_lane(Module& module) {
  for (const Function& function : module) {
    if (!known_.contains(&function) && !is_main(function)) continue;
    if (none_of(instructions(function),
                [](const Instruction& one) { return asm_kind(one) == AsmKind::kMask; }))
      one_lane_.insert(&function);
  }
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const Function& function : module)
      if (runs_in_one_lane(function) &&
          !all_uses(function, [this](const Use& use) { return is_one_lane_use(use); })) {
        one_lane_.erase(&function);
        is_changed = true;
      }
  }
}

void ModuleFacts::find_all_lanes(Module& module) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const Function& function : module) {
      if (!needs_all_lanes(function).empty()) continue;
      for (const Instruction& instruction : instructions(function)) {
        StringRef name = collective_name(instruction);
        const auto* call = dyn_cast<CallBase>(&instruction);
        if (name.empty() && call != nullptr && call->getCalledFunction() != nullptr)
          name = needs_all_lanes(*call->getCalledFunction());
        if (name.empty()) continue;
        all_lanes_[&function] = name;
        is_changed = true;
        break;
      }
    }
  }
  for (const Function& function : module)
    if (const StringRef need = needs_all_lanes(function); !need.empty() && has_pointer(function))
      pointed_to_.try_emplace(function.getFunctionType(), need);
}

void ModuleFacts::find_needs_others(Module& module) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const Function& function : module)
      if (!needs_others(function) && any_of(instructions(function), [this](const Instruction& one) {
            return spica::simt::needs_others(one, *this);
          }))
        is_changed |= needs_others_.insert(&function).second;
  }
}

/// Everything is taken as the same in all lanes at first, what is found to differ is taken out until nothing changes.
void ModuleFacts::find_uniform(Module& module) {
  for (const Function& function : module) {
    if (function.isDeclaration()) continue;
    if (function.hasExactDefinition() && !function.getReturnType()->isVoidTy())
      uniform_results_.insert(&function);
    if (!known_.contains(&function) && !runs_in_one_lane(function) && !is_kernel(function)) continue;
    for (const Argument& argument : function.args()) uniform_arguments_.insert(&argument);
    for (const Use& use : function.uses())
      if (const Caller* caller = caller_by(use);
          caller != nullptr && caller->first == kPerLane && !function.arg_empty())
        uniform_arguments_.erase(function.getArg(0));
  }
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (Function& function : module)
      if (!function.isDeclaration() && !runs_in_one_lane(function)) is_changed |= visit_calls(function);
  }
}

/// Takes out what a function passes to others and returns. Returns whether there was something.
bool ModuleFacts::visit_calls(Function& function) {
  const Uniformity uniformity(function, *this);
  bool is_changed = false;
  const auto pass = [&](const Function& to, unsigned parameter, const Use& value) {
    if (parameter < to.arg_size() && uniformity.is_divergent(value))
      is_changed |= uniform_arguments_.erase(to.getArg(parameter));
  };
  unsigned returns = 0;
  bool parts = false;
  for (const BasicBlock& block : function) {
    parts |= uniformity.is_divergent_branch(block);
    for (const Instruction& instruction : block) {
      if (const auto* back = dyn_cast<ReturnInst>(&instruction);
          back != nullptr && back->getReturnValue() != nullptr) {
        ++returns;
        if (uniformity.is_divergent(back->getOperandUse(0))) is_changed |= uniform_results_.erase(&function);
      }
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr) continue;
      if (const Function* callee = call->getCalledFunction())
        for (unsigned i = 0; i < call->arg_size(); ++i) pass(*callee, i, call->getArgOperandUse(i));
      const Caller* caller = caller_of(*call);
      const auto* callee =
          caller != nullptr ? dyn_cast<Function>(call->getArgOperand(caller->function)) : nullptr;
      if (callee == nullptr) continue;
      if (caller->first >= 0) pass(*callee, 0, call->getArgOperandUse(caller->first));
      if (caller->second >= 0) pass(*callee, 1, call->getArgOperandUse(caller->second));
    }
  }
  if (returns > 1 && parts)
    is_changed |= uniform_results_.erase(&function);  // lanes come back by different ways
  return is_changed;
}

bool ModuleFacts::has_uniform_result(const CallBase& call) const {
  const Function* callee = call.getCalledFunction();
  return callee != nullptr && (uniform_results_.contains(callee) || is_uniform_library_function(*callee));
}

}  // namespace spica::simt
