// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl/module/local_memory.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/ReplaceConstant.h>

#include <algorithm>

#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::opencl {

using namespace llvm;

namespace {

using Variables = SetVector<GlobalVariable*>;

class Layout {
 public:
  explicit Layout(const DataLayout& layout) : layout_(layout) {}

  /// Gives a place to those that have none, from `begin` on. Returns the end.
  uint64_t place(const Variables& variables, uint64_t begin) {
    for (GlobalVariable* variable : variables) {
      if (offsets_.contains(variable)) continue;
      Type* type = variable->getValueType();
      begin = alignTo(begin, std::max(layout_.getPreferredAlign(variable), layout_.getABITypeAlign(type)));
      offsets_[variable] = begin;
      begin += layout_.getTypeAllocSize(type).getFixedValue();
    }
    return begin;
  }
  uint64_t of(const GlobalVariable* variable) const { return offsets_.lookup(variable); }

 private:
  const DataLayout& layout_;
  DenseMap<const GlobalVariable*, uint64_t> offsets_;
};

/// The variables that a function or its callees use.
Variables reached_from(Function& kernel, const Variables& all) {
  Variables reached;
  SetVector<const Function*> functions;
  functions.insert(&kernel);
  for (unsigned i = 0; i < functions.size(); ++i)
    for (const Instruction& instruction : instructions(*functions[i]))
      for (Value* operand : instruction.operands()) {
        if (auto* variable = dyn_cast<GlobalVariable>(operand); variable != nullptr && all.contains(variable))
          reached.insert(variable);
        if (const auto* callee = dyn_cast<Function>(operand)) functions.insert(callee);
      }
  return reached;
}

void replace(GlobalVariable& variable, uint64_t offset) {
  for (Use& use : make_early_inc_range(variable.uses())) {
    auto* user = cast<Instruction>(use.getUser());
    auto* phi = dyn_cast<PHINode>(user);
    IRBuilder<> builder(phi == nullptr ? user : phi->getIncomingBlock(use)->getTerminator());
    Value* address = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), group_memory(builder),
                                                        static_cast<unsigned>(offset));
    use.set(address);
  }
  variable.eraseFromParent();
}

}  // namespace

Value* group_memory(IRBuilder<>& builder) {
  return simt::make_pure_asm(builder, builder.getPtrTy(kLocalSpace), {}, "csrr $0, 0xCDF", "=r");
}

DenseMap<const Function*, uint64_t> place_local_variables(Module& module, ArrayRef<Function*> kernels) {
  Variables all;
  SmallVector<Constant*, 16> constants;
  for (GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == kLocalSpace) {
      variable.removeDeadConstantUsers();
      all.insert(&variable);
      constants.push_back(&variable);
    }
  convertUsersOfConstantsToInstructions(constants);

  SmallVector<Variables, 8> reached;
  DenseMap<const GlobalVariable*, unsigned> kernels_of;
  for (Function* kernel : kernels) {
    reached.push_back(reached_from(*kernel, all));
    for (GlobalVariable* variable : reached.back()) ++kernels_of[variable];
  }
  Variables common;
  for (GlobalVariable* variable : all)
    if (kernels_of.lookup(variable) > 1) common.insert(variable);
  Layout layout(module.getDataLayout());
  const uint64_t end_of_common = layout.place(common, 0);

  DenseMap<const Function*, uint64_t> bytes;
  for (unsigned i = 0; i < kernels.size(); ++i) {
    const bool has_common =
        any_of(reached[i], [&](GlobalVariable* variable) { return common.contains(variable); });
    bytes[kernels[i]] = alignTo(layout.place(reached[i], has_common ? end_of_common : 0), kLocalAlignment);
  }
  for (GlobalVariable* variable : all) replace(*variable, layout.of(variable));
  return bytes;
}

}  // namespace spica::opencl
