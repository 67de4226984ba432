// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/grid_kernels.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <map>
#include <set>

#include "platform/workloads/compiler/plugin/group_shared.h"
#include "platform/workloads/compiler/plugin/kernel_arguments.h"
#include "platform/workloads/compiler/plugin/kernel_notes.h"
#include "platform/workloads/compiler/plugin/messages.h"

namespace spica::simt {

using namespace llvm;

namespace {

constexpr unsigned kWarpLanes = 32;  // that code without synchronisation between lanes relies on

/// A mark in the source: __attribute__((annotate(text, number))).
struct Mark {
  GlobalValue* value;
  StringRef text;
  uint64_t number;  // 0: none
};

StringRef text_of(const Constant* constant) {
  const auto* variable = dyn_cast<GlobalVariable>(constant->stripPointerCasts());
  const auto* data = variable != nullptr ? dyn_cast<ConstantDataArray>(variable->getInitializer()) : nullptr;
  return data != nullptr && data->isCString() ? data->getAsCString() : "";
}

uint64_t number_of(const Constant* constant) {
  const auto* variable = dyn_cast<GlobalVariable>(constant->stripPointerCasts());
  if (variable == nullptr || !variable->hasInitializer()) return 0;
  const auto* number = dyn_cast_or_null<ConstantInt>(variable->getInitializer()->getAggregateElement(0u));
  return number != nullptr ? number->getZExtValue() : 0;
}

/// Takes the marks out of the module, where they would count as uses of what they mark.
std::vector<Mark> take_marks(Module& module) {
  std::vector<Mark> marks;
  GlobalVariable* list = module.getGlobalVariable("llvm.global.annotations");
  if (list == nullptr) return marks;
  auto* const entries = cast<ConstantArray>(list->getInitializer());
  std::vector<Constant*> others;
  for (const Use& entry : entries->operands()) {
    auto* const fields = cast<ConstantStruct>(entry);
    const StringRef text = text_of(fields->getOperand(1));
    auto* const value = dyn_cast<GlobalValue>(fields->getOperand(0)->stripPointerCasts());
    if (!text.starts_with("spica.") || value == nullptr) others.push_back(fields);
    else marks.push_back({value, text, number_of(fields->getOperand(4))});
  }
  if (marks.empty()) return marks;
  list->eraseFromParent();
  if (others.empty()) return marks;
  auto* const type = ArrayType::get(others.front()->getType(), others.size());
  auto* const rest = new GlobalVariable(module, type, false, GlobalValue::AppendingLinkage,
                                        ConstantArray::get(type, others), "llvm.global.annotations");
  rest->setSection("llvm.metadata");
  return marks;
}

/// An instruction that no access to memory passes.
void add_instruction(IRBuilder<>& builder, StringRef text) {
  auto* const type = FunctionType::get(builder.getVoidTy(), false);
  CallInst* call = builder.CreateCall(InlineAsm::get(type, text, "~{memory}", true));
  call->setDoesNotThrow();
  call->addFnAttr(Attribute::Convergent);
}

/// All its calls are in this file.
void make_internal(Function& function) {
  function.setComdat(nullptr);
  function.setLinkage(GlobalValue::InternalLinkage);
}

/// As in the source, with its namespaces.
std::string name_of(const Function& kernel) {
  const DISubprogram* about = kernel.getSubprogram();
  std::string name = about->getName().str();
  for (const DIScope* scope = about->getScope(); scope != nullptr; scope = scope->getScope())
    if (isa<DINamespace>(scope) && !scope->getName().empty()) name = scope->getName().str() + "::" + name;
  return name;
}

class KernelMaker {
 public:
  KernelMaker(Module& module, std::set<const Function*> with_open_arrays)
      : module_(module), with_open_arrays_(std::move(with_open_arrays)) {}

  void make(Function& kernel, uint64_t threads) {
    const DISubprogram* about = kernel.getSubprogram();
    if (about == nullptr || about->getUnit()->getEmissionKind() != DICompileUnit::FullDebug)
      return report_error(
          kernel, DebugLoc(),
          "a kernel without full debug information (-g0, -g1) has no description of its arguments: compile with -g");
    for (const User* user : kernel.users())
      if (const auto* call = dyn_cast<CallBase>(user))
        return report_error(*call->getFunction(), call->getDebugLoc(),
                            "a kernel is called like a function; the dispatcher starts kernels: spica run "
                            "MACHINE X.elf --kernel NAME --grid X --block X");
    std::string name = name_of(kernel);
    if (!names_.insert(name).second) name = demangle(kernel.getName());  // of several with other arguments
    const KernelArguments arguments(kernel);
    make_internal(kernel);
    kernel.addFnAttr(Attribute::NoInline);
    kernel.addFnAttr(kKernel);
    kernel.removeFnAttr(Attribute::AlwaysInline);
    Function* entry = make_entry(kernel, name, arguments);
    if (entry == nullptr) return;
    list_kernel(*entry);
    add_note(module_, "kernel." + name + ".threads=" + std::to_string(threads));
    add_note(module_, "kernel." + name + ".arguments=" + arguments.text());
    if (with_open_arrays_.count(&kernel) != 0) add_note(module_, "kernel." + name + ".open_shared=1");
  }

 private:
  Function* make_entry(Function& kernel, const std::string& name, const KernelArguments& arguments) {
    LLVMContext& context = module_.getContext();
    auto* const type = FunctionType::get(Type::getVoidTy(context), {PointerType::getUnqual(context)}, false);
    Function* entry = Function::Create(type, GlobalValue::ExternalLinkage, name + ".entry", module_);
    for (const char* attribute : {"target-cpu", "target-features"})
      if (kernel.hasFnAttribute(attribute)) entry->addFnAttr(kernel.getFnAttribute(attribute));
    entry->addFnAttr(Attribute::NoUnwind);
    IRBuilder<> builder(BasicBlock::Create(context, "", entry));
    add_instruction(builder, "csrr tp, 0xCDF");  // variables of the work group
    const auto values = arguments.load(builder, entry->getArg(0));
    if (!values) {
      report_error(kernel, DebugLoc(),
                   "an argument of this kernel has a type that the argument block cannot hold");
      entry->eraseFromParent();
      return nullptr;
    }
    CallInst* call = builder.CreateCall(&kernel, *values);
    for (unsigned i = 0; i < kernel.arg_size(); ++i)
      for (const Attribute::AttrKind extension : {Attribute::ZExt, Attribute::SExt})
        if (kernel.getArg(i)->hasAttribute(extension)) call->addParamAttr(i, extension);
    builder.CreateRetVoid();
    return entry;
  }

  Module& module_;
  const std::set<const Function*> with_open_arrays_;
  std::set<std::string> names_;
};

bool is_of_library(const Instruction& access, const Value* address) {
  const DILocation* at = access.getDebugLoc().get();
  if (at != nullptr && at->getFilename().contains("sw/lib/include/")) return true;
  const auto* variable = dyn_cast<GlobalVariable>(getUnderlyingObject(address));
  return variable != nullptr && variable->getSection() == ".args";
}

/// Debuggers find three words for each of these variables where the linker script says; the debug server answers there
/// for the lane that is looked at (platform/observe/debug/registers.h).
void describe_indices(Module& module, const Function& kernel) {
  const DISubprogram* about = kernel.getSubprogram();
  if (about == nullptr) return;
  DIFile* file = about->getFile();
  DIBuilder builder(module, true, about->getUnit());
  DIType* word = builder.createBasicType("unsigned int", 32, dwarf::DW_ATE_unsigned);
  SmallVector<Metadata*, 3> members;
  for (const char* member : {"x", "y", "z"})
    members.push_back(
        builder.createMemberType(file, member, file, 0, 32, 32, 32 * members.size(), DINode::FlagZero, word));
  DIType* type = builder.createStructType(file, "", file, 0, 96, 32, DINode::FlagZero, nullptr,
                                          builder.getOrCreateArray(members));
  for (const char* name : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
    SmallVector<DIGlobalVariableExpression*, 1> found;
    GlobalVariable* variable = module.getNamedGlobal("_ZL" + std::to_string(StringRef(name).size()) + name);
    if (variable != nullptr) variable->getDebugInfo(found);
    if (found.empty()) {
      found.push_back(
          builder.createGlobalVariableExpression(about->getUnit(), name, "", file, 0, type, true));
    } else {
      found.front()->getVariable()->replaceOperandWith(3, type);  // that has properties, which is code
      variable->eraseMetadata(LLVMContext::MD_dbg);
    }
    auto* const words =
        new GlobalVariable(module, Type::getInt32Ty(module.getContext()), true, GlobalValue::ExternalLinkage,
                           nullptr, std::string("spica_words_of.") + name);
    words->addDebugInfo(found.front());
    appendToUsed(module, {words});
  }
  builder.finalize();
}

/// Lanes that tell each other something by volatile memory, without a word about it, rely on a warp of 32 of them, in
/// which what one has stored is there for the next instruction of the others.
void keep_volatile_order(Module& module) {
  bool is_used = false;
  for (Function& function : module)
    for (Instruction& instruction : make_early_inc_range(instructions(function))) {
      const auto* load = dyn_cast<LoadInst>(&instruction);
      const auto* store = dyn_cast<StoreInst>(&instruction);
      if (!(load != nullptr && load->isVolatile()) && !(store != nullptr && store->isVolatile())) continue;
      if (is_of_library(instruction, getLoadStorePointerOperand(&instruction))) continue;
      is_used = true;
      if (store == nullptr) continue;
      IRBuilder<> builder(&instruction);
      add_instruction(builder, "fence iorw, iorw");
      builder.SetInsertPoint(instruction.getNextNode());
      add_instruction(builder, "fence iorw, iorw");
    }
  if (is_used) add_note(module, "lanes=" + std::to_string(kWarpLanes));
}

}  // namespace

void make_grid_kernels(Module& module, bool is_whole_program) {
  std::map<Function*, uint64_t> threads;
  std::vector<Function*> kernels;
  std::vector<GlobalValue*> variables;
  for (const Mark& mark : take_marks(module)) {
    auto* const function = dyn_cast<Function>(mark.value);
    if (function == nullptr) variables.push_back(mark.value);
    else if (mark.text == "spica.threads") threads[function] = mark.number;
    else if (mark.text == "spica.kernel" && !function->isDeclaration() && !is_contained(kernels, function))
      kernels.push_back(function);
    else if (mark.text == "spica.device" && is_whole_program && !function->isDeclaration())
      make_internal(*function);
  }
  // Loaded and read from outside, whether kernels name them or not.
  appendToUsed(module, variables);
  for (GlobalValue* variable : variables) cast<GlobalVariable>(variable)->setExternallyInitialized(true);
  std::set<const Function*> with_open_arrays = place_group_shared(module);
  if (kernels.empty()) return;
  removeFromUsedLists(module, [&](Constant* one) { return is_contained(kernels, one->stripPointerCasts()); });
  keep_volatile_order(module);
  describe_indices(module, *kernels.front());
  KernelMaker maker(module, std::move(with_open_arrays));
  for (Function* kernel : kernels) maker.make(*kernel, threads[kernel]);
}

}  // namespace spica::simt
