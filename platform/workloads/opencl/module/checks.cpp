// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl/module/checks.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace spica::opencl {

using namespace llvm;

namespace {

/// "a.cl:3: error: "; without debug information "error: ".
std::string place_of(const DILocation* at) {
  if (at == nullptr) return "error: ";
  return at->getFilename().str() + ":" + std::to_string(at->getLine()) + ": error: ";
}
std::string place_of(const Function& function) {
  const DISubprogram* about = function.getSubprogram();
  if (about == nullptr) return "error: ";
  return about->getFilename().str() + ":" + std::to_string(about->getLine()) + ": error: ";
}

bool is_foreign(Type* type) {
  if (type->isTargetExtTy()) return true;
  return any_of(type->subtypes(), [](Type* part) { return is_foreign(part); });
}

bool is_foreign(const Function& function) {
  if (is_foreign(function.getFunctionType())) return true;
  return any_of(instructions(function), [](const Instruction& one) { return is_foreign(one.getType()); });
}

/// The kind of object that the type names, as messages name it; empty: none of those.
StringRef object_of(StringRef type) {
  if (type.starts_with("image")) return "images";
  if (type == "sampler_t") return "samplers";
  if (type.starts_with("pipe") || type.contains("pipe_t") || type == "reserve_id_t") return "pipes";
  if (type == "queue_t" || type == "clk_event_t") return "device queues";
  return "";
}

StringRef objects_of(const Function& kernel) {
  for (const char* kind : {"kernel_arg_base_type", "kernel_arg_type_qual"})
    if (const MDNode* node = kernel.getMetadata(kind))
      for (const MDOperand& operand : node->operands())
        if (const auto* text = dyn_cast<MDString>(operand))
          if (const StringRef object = object_of(text->getString()); !object.empty()) return object;
  return "";
}

/// A call of the function, best one with a place in the source.
const CallBase* call_of(const Function& function) {
  const CallBase* any = nullptr;
  for (const User* user : function.users())
    if (const auto* call = dyn_cast<CallBase>(user)) {
      if (call->getDebugLoc()) return call;
      any = call;
    }
  return any;
}

}  // namespace

std::vector<std::string> unsupported(Module& module) {
  std::vector<std::string> sentences;
  for (const Function& function : module) {
    const std::string place = place_of(function);
    if (const StringRef objects = objects_of(function); !objects.empty())
      sentences.push_back(place + "kernel '" + function.getName().str() + "' uses " + objects.str() +
                          ", which are unsupported: use buffers instead");
    else if (is_foreign(function))
      sentences.push_back(place + "'" + demangle(function.getName()) +
                          "' uses a type of another target, which is unsupported: compile it from OpenCL C");
  }
  return sentences;
}

std::vector<std::string> undefined(Module& module, const StringSet<>& library) {
  std::vector<std::string> sentences;
  for (const Function& function : module) {
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty() ||
        library.contains(function.getName()))
      continue;
    const CallBase* call = call_of(function);
    sentences.push_back(place_of(call != nullptr ? call->getDebugLoc().get() : nullptr) +
                        "undefined function '" + demangle(function.getName()) +
                        "': neither the program nor the built-in library of OpenCL C has it");
  }
  std::sort(sentences.begin(), sentences.end());
  return sentences;
}

}  // namespace spica::opencl
