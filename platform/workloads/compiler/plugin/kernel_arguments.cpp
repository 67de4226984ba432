// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/kernel_arguments.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace spica::simt {

using namespace llvm;

namespace {

/// Without typedef, const and the like.
const DIType* stripped(const DIType* type) {
  while (const auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case dwarf::DW_TAG_typedef:
      case dwarf::DW_TAG_const_type:
      case dwarf::DW_TAG_volatile_type:
      case dwarf::DW_TAG_restrict_type:
      case dwarf::DW_TAG_atomic_type:
      case dwarf::DW_TAG_member: type = derived->getBaseType(); break;
      default: return type;
    }
  }
  return type;
}

bool is_record(const DIType* type) {
  return type != nullptr &&
         (type->getTag() == dwarf::DW_TAG_structure_type || type->getTag() == dwarf::DW_TAG_class_type);
}
bool is_aggregate(const DIType* type) {
  return is_record(type) || (type != nullptr && type->getTag() == dwarf::DW_TAG_union_type);
}

/// Members and bases that lie in an object of the type.
std::vector<const DIDerivedType*> parts_of(const DIType* type) {
  std::vector<const DIDerivedType*> parts;
  if (const auto* composite = dyn_cast<DICompositeType>(type))
    for (const DINode* element : composite->getElements())
      if (const auto* part = dyn_cast<DIDerivedType>(element);
          part != nullptr && !part->isStaticMember() &&
          (part->getTag() == dwarf::DW_TAG_member || part->getTag() == dwarf::DW_TAG_inheritance))
        parts.push_back(part);
  return parts;
}

uint64_t bytes_of(const DIType* type) { return type == nullptr ? 0 : type->getSizeInBits() / 8; }

uint64_t alignment_of(const DIType* type) {
  type = stripped(type);
  if (type == nullptr) return 1;
  if (type->getAlignInBits() != 0) return type->getAlignInBits() / 8;
  if (is_aggregate(type)) {
    uint64_t most = 1;
    for (const DIDerivedType* part : parts_of(type))
      most = std::max({most, alignment_of(part), uint64_t{part->getAlignInBits() / 8}});
    return most;
  }
  if (type->getTag() == dwarf::DW_TAG_array_type)
    return alignment_of(cast<DICompositeType>(type)->getBaseType());
  return std::clamp<uint64_t>(bytes_of(type), 1, 8);
}

char kind_of(const DIType* type) {
  if (type == nullptr) return 'o';
  if (const auto* basic = dyn_cast<DIBasicType>(type)) {
    switch (basic->getEncoding()) {
      case dwarf::DW_ATE_float: return bytes_of(type) == 2 ? 'u' : 'f';  // of 16 bits: as bits
      case dwarf::DW_ATE_signed:
      case dwarf::DW_ATE_signed_char: return 'i';
      default: return 'u';
    }
  }
  switch (type->getTag()) {
    case dwarf::DW_TAG_pointer_type:
    case dwarf::DW_TAG_reference_type:
    case dwarf::DW_TAG_rvalue_reference_type: return 'u';
    case dwarf::DW_TAG_enumeration_type: return 'i';
    default: return 'o';
  }
}

/// The names of a function's parameters. Without optimisation only its code has them.
std::vector<std::string> names_of(const Function& function) {
  std::vector<std::string> names;
  const auto add = [&](const DILocalVariable* variable) {
    if (variable == nullptr || variable->getArg() == 0) return;
    names.resize(std::max<size_t>(names.size(), variable->getArg()));
    names[variable->getArg() - 1] = variable->getName().str();
  };
  for (const DINode* node : function.getSubprogram()->getRetainedNodes())
    add(dyn_cast<DILocalVariable>(node));
  for (const Instruction& one : instructions(function)) {
    for (const DbgVariableRecord& record : filterDbgVars(one.getDbgRecordRange())) add(record.getVariable());
    if (const auto* intrinsic = dyn_cast<DbgVariableIntrinsic>(&one)) add(intrinsic->getVariable());
  }
  return names;
}

}  // namespace

void describe_members(const DIType* type, const std::string& name, uint64_t offset, std::string& text) {
  type = stripped(type);
  if (is_record(type)) {
    for (const DIDerivedType* part : parts_of(type))
      describe_members(part->getBaseType(),
                       part->getTag() == dwarf::DW_TAG_member ? name + "." + part->getName().str() : name,
                       offset + part->getOffsetInBits() / 8, text);
    return;
  }
  if (type != nullptr && type->getTag() == dwarf::DW_TAG_array_type) {
    const DIType* element = cast<DICompositeType>(type)->getBaseType();
    const uint64_t bytes = bytes_of(stripped(element)), count = bytes == 0 ? 0 : bytes_of(type) / bytes;
    for (uint64_t i = 0; i < count; ++i)  // several dimensions are contiguous
      describe_members(element, name + "[" + std::to_string(i) + "]", offset + i * bytes, text);
    return;
  }
  text += (text.empty() ? "" : " ") + name + ":" + kind_of(type) + std::to_string(bytes_of(type)) + ":" +
          std::to_string(offset);
}

KernelArguments::KernelArguments(const Function& kernel) : kernel_(kernel) {
  const DISubprogram* about = kernel.getSubprogram();
  const std::vector<std::string> names = names_of(kernel);
  const DITypeRefArray types = about->getType()->getTypeArray();
  uint64_t offset = 0;
  for (unsigned i = 1; i < types.size(); ++i) {  // 0: the result
    const DIType* type = stripped(types[i]);
    if (type == nullptr) continue;
    const uint64_t alignment = alignment_of(type);
    offset = (offset + alignment - 1) / alignment * alignment;
    const bool has_parts = is_aggregate(type);
    arguments_.push_back({offset, bytes_of(type), has_parts, has_parts && parts_of(type).empty()});
    const bool has_name = i - 1 < names.size() && !names[i - 1].empty();
    describe_members(type, has_name ? names[i - 1] : "argument_" + std::to_string(i), offset, text_);
    offset += bytes_of(type);
  }
}

std::optional<std::vector<Value*>> KernelArguments::load(IRBuilder<>& builder, Value* block) const {
  const DataLayout& layout = kernel_.getDataLayout();
  std::vector<Value*> values;
  const auto load_next = [&](uint64_t offset) {
    Type* type = kernel_.getArg(static_cast<unsigned>(values.size()))->getType();
    Value* at = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), block, static_cast<unsigned>(offset));
    Value* value = type->isIntegerTy(1)
                       ? builder.CreateTrunc(builder.CreateLoad(builder.getInt8Ty(), at), type)
                       : builder.CreateAlignedLoad(type, at, Align(1 << (offset % 4 == 0 ? 2 : 0)));
    values.push_back(value);
    return layout.getTypeStoreSize(type).getFixedValue();
  };
  for (const Argument& argument : arguments_) {
    if (argument.is_empty) continue;
    if (values.size() == kernel_.arg_size()) return std::nullopt;
    if (argument.is_aggregate && argument.bytes > 8) {  // by reference, and the lane's own
      AllocaInst* copy = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), argument.bytes));
      copy->setAlignment(Align(16));
      Value* at = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), block,
                                                     static_cast<unsigned>(argument.offset));
      builder.CreateMemCpy(copy, Align(16), at, Align(4), argument.bytes);
      values.push_back(copy);
      continue;
    }
    const uint64_t first = load_next(argument.offset);
    if (!argument.is_aggregate || first >= argument.bytes) continue;
    if (values.size() == kernel_.arg_size()) return std::nullopt;
    Type* next = kernel_.getArg(static_cast<unsigned>(values.size()))->getType();
    load_next(argument.offset +
              alignTo(first, layout.getABITypeAlign(next)));  // two floats, or one and an integer
  }
  if (values.size() != kernel_.arg_size()) return std::nullopt;
  return values;
}

}  // namespace spica::simt
