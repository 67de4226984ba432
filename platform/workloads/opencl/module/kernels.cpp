// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl/module/kernels.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <string>

#include "platform/workloads/compiler/plugin/kernel_arguments.h"
#include "platform/workloads/compiler/plugin/kernel_notes.h"
#include "platform/workloads/opencl/module/local_memory.h"

namespace spica::opencl {

using namespace llvm;

namespace {

/// The text of the nth parameter in the metadata that clang adds to a kernel.
std::string text_of(const Function& kernel, const char* kind, unsigned n) {
  const MDNode* node = kernel.getMetadata(kind);
  if (node == nullptr || n >= node->getNumOperands()) return "";
  const auto* text = dyn_cast<MDString>(node->getOperand(n));
  return text != nullptr ? text->getString().str() : "";
}

const char* space_name(unsigned space) {
  switch (space) {
    case 1: return "global";
    case kLocalSpace: return "local";
    case 4: return "constant";
    default: return "private";
  }
}

struct Parameter {
  Argument* argument;
  uint64_t offset, bytes;
  Align align;

  Type* type() const {
    return argument->hasByValAttr() ? argument->getParamByValType() : argument->getType();
  }
  bool is_local() const {
    return argument->getType()->isPointerTy() && !argument->hasByValAttr() &&
           argument->getType()->getPointerAddressSpace() == kLocalSpace;
  }
};

std::vector<Parameter> parameters_of(Function& kernel) {
  const DataLayout& layout = kernel.getDataLayout();
  std::vector<Parameter> parameters;
  uint64_t offset = kHeadBytes;
  for (Argument& argument : kernel.args()) {
    Parameter one{&argument, 0, 0, Align(1)};
    one.bytes = layout.getTypeAllocSize(one.type()).getFixedValue();
    one.align = layout.getABITypeAlign(one.type());
    if (argument.hasByValAttr()) one.align = std::max(one.align, argument.getParamAlign().valueOrOne());
    one.offset = offset = alignTo(offset, one.align);
    offset += one.bytes;
    parameters.push_back(one);
  }
  return parameters;
}

/// "64,1,1" for the metadata of __attribute__((reqd_work_group_size(64, 1, 1))); empty: none.
std::vector<uint64_t> extents_of(const Function& kernel, const char* kind) {
  std::vector<uint64_t> extents;
  if (const MDNode* node = kernel.getMetadata(kind))
    for (const MDOperand& operand : node->operands())
      extents.push_back(mdconst::extract<ConstantInt>(operand)->getZExtValue());
  return extents;
}

class EntryMaker {
 public:
  EntryMaker(Function& kernel, uint64_t static_bytes)
      : kernel_(kernel),
        module_(*kernel.getParent()),
        name_(kernel.getName().str()),
        static_bytes_(static_bytes),
        parameters_(parameters_of(kernel)) {}

  void run() {
    add_notes();
    keep_for_callers();
    Function* entry = make_entry();
    load_arguments(*entry);
    kernel_.eraseFromParent();
    simt::list_kernel(*entry);
  }

 private:
  void note(const std::string& key, const std::string& value) {
    simt::add_note(module_, "kernel." + name_ + "." + key + "=" + value);
  }

  void add_notes() {
    const std::vector<uint64_t> required = extents_of(kernel_, "reqd_work_group_size");
    uint64_t threads = 0;
    if (required.size() == 3) threads = required[0] * required[1] * required[2];
    note("threads", std::to_string(threads));
    note("shared", std::to_string(static_bytes_));
    if (any_of(parameters_, [](const Parameter& one) { return one.is_local(); })) note("open_shared", "1");
    note("head", std::to_string(kHeadBytes));
    note("arguments", members());
    note("parameters", table());
    if (required.size() == 3)
      note("required", std::to_string(required[0]) + "x" + std::to_string(required[1]) + "x" +
                           std::to_string(required[2]));
    if (const std::string text = attributes(); !text.empty()) note("attributes", text);
  }

  /// Numbers that --args can set, as for kernels in other languages.
  std::string members() const {
    const DISubprogram* about = kernel_.getSubprogram();
    const DITypeRefArray types =
        about != nullptr ? about->getType()->getTypeArray() : DITypeRefArray(nullptr);
    std::string text;
    for (unsigned i = 0; i < parameters_.size(); ++i) {
      const DIType* type = about != nullptr && i + 1 < types.size() ? types[i + 1] : nullptr;
      simt::describe_members(type, name_of(i), parameters_[i].offset, text);
    }
    return text;
  }

  std::string name_of(unsigned n) const {
    std::string name = text_of(kernel_, "kernel_arg_name", n);
    return name.empty() ? "argument_" + std::to_string(n + 1) : name;
  }

  /// One for each parameter, with ; between them: offset:bytes:space:access:qualifiers:name:type
  std::string table() const {
    std::string text;
    for (unsigned i = 0; i < parameters_.size(); ++i) {
      const Parameter& one = parameters_[i];
      const bool is_pointer = one.argument->getType()->isPointerTy() && !one.argument->hasByValAttr();
      text += (i == 0 ? "" : ";") + std::to_string(one.offset) + ":" + std::to_string(one.bytes) + ":" +
              space_name(is_pointer ? one.argument->getType()->getPointerAddressSpace() : 0) + ":" +
              text_of(kernel_, "kernel_arg_access_qual", i) + ":" +
              text_of(kernel_, "kernel_arg_type_qual", i) + ":" + name_of(i) + ":" +
              text_of(kernel_, "kernel_arg_type", i);
    }
    return text;
  }

  /// As clGetKernelInfo(CL_KERNEL_ATTRIBUTES) has them.
  std::string attributes() const {
    std::string text;
    for (const auto& [kind, name] : {std::pair("reqd_work_group_size", "reqd_work_group_size"),
                                     std::pair("work_group_size_hint", "work_group_size_hint")}) {
      const std::vector<uint64_t> extents = extents_of(kernel_, kind);
      if (extents.size() != 3) continue;
      text += std::string(text.empty() ? "" : " ") + name + "(" + std::to_string(extents[0]) + "," +
              std::to_string(extents[1]) + "," + std::to_string(extents[2]) + ")";
    }
    return text;
  }

  void keep_for_callers() {
    if (kernel_.use_empty()) return;
    ValueToValueMapTy map;
    Function* copy = CloneFunction(&kernel_, map);
    copy->setName(name_ + ".function");
    copy->setLinkage(GlobalValue::InternalLinkage);
    kernel_.replaceAllUsesWith(copy);
  }

  Function* make_entry() {
    LLVMContext& context = module_.getContext();
    auto* const type = FunctionType::get(Type::getVoidTy(context), {PointerType::getUnqual(context)}, false);
    Function* entry = Function::Create(type, GlobalValue::ExternalLinkage, name_ + ".entry", module_);
    entry->setAttributes(AttributeList::get(context, AttributeList::FunctionIndex,
                                            AttrBuilder(context, kernel_.getAttributes().getFnAttrs())));
    entry->removeFnAttr(Attribute::NoInline);
    entry->setSubprogram(kernel_.getSubprogram());
    kernel_.setSubprogram(nullptr);
    entry->splice(entry->end(), &kernel_);
    Argument* block = entry->getArg(0);
    block->setName("block");
    for (const Attribute::AttrKind kind : {Attribute::NoAlias, Attribute::ReadOnly, Attribute::NonNull})
      block->addAttr(kind);
    return entry;
  }

  void load_arguments(Function& entry) {
    IRBuilder<> builder(&entry.getEntryBlock(), entry.getEntryBlock().begin());
    for (const Parameter& one : parameters_) {
      Value* at = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), entry.getArg(0),
                                                     static_cast<unsigned>(one.offset));
      one.argument->replaceAllUsesWith(value_of(builder, one, at));
    }
  }

  Value* value_of(IRBuilder<>& builder, const Parameter& one, Value* at) const {
    if (one.argument->hasByValAttr()) {  // the lane's own
      AllocaInst* copy = builder.CreateAlloca(one.type());
      copy->setAlignment(one.align);
      builder.CreateMemCpy(copy, one.align, at, one.align, one.bytes);
      return copy;
    }
    Type* type = one.is_local() ? builder.getInt32Ty() : one.type();
    LoadInst* load = builder.CreateAlignedLoad(type, at, one.align);
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(module_.getContext(), {}));
    if (!one.is_local()) return load;
    Value* offset = builder.CreateAdd(load, builder.getInt32(static_cast<uint32_t>(static_bytes_)));
    return builder.CreateGEP(builder.getInt8Ty(), group_memory(builder), offset);
  }

  Function& kernel_;
  Module& module_;
  const std::string name_;
  const uint64_t static_bytes_;
  const std::vector<Parameter> parameters_;
};

}  // namespace

std::vector<Function*> kernels_of(Module& module) {
  std::vector<Function*> kernels;
  for (Function& function : module)
    if (!function.isDeclaration() && function.hasMetadata("kernel_arg_addr_space"))
      kernels.push_back(&function);
  return kernels;
}

void make_entries(Module& module, ArrayRef<Function*> kernels) {
  simt::need_no_main(module);  // there may be no kernel
  const DenseMap<const Function*, uint64_t> bytes = place_local_variables(module, kernels);
  for (Function* kernel : kernels) EntryMaker(*kernel, bytes.lookup(kernel)).run();
}

}  // namespace spica::opencl
