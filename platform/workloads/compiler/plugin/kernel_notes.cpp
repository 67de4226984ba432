// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/kernel_notes.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace spica::simt {

using namespace llvm;

void add_note(Module& module, const std::string& text) {
  module.appendModuleInlineAsm(
      ".pushsection .note.spica,\"\",@note\n.balign 4\n.4byte 6, 3f-2f, 0x101\n.asciz \"Spica\"\n.balign 4\n"
      "2:\n.4byte 1\n.asciz \"" +
      text + "\"\n.balign 4\n3:\n.popsection");
}

void need_no_main(Module& module) {
  constexpr char kCode[] = ".weak main_or_a_SPICA_KERNEL\n.set main_or_a_SPICA_KERNEL, 0";
  if (!StringRef(module.getModuleInlineAsm()).contains(kCode)) module.appendModuleInlineAsm(kCode);
}

void list_kernel(Function& entry) {
  Module& module = *entry.getParent();
  auto* const pointer = PointerType::getUnqual(module.getContext());
  auto* const start =
      module.getOrInsertFunction("simt_start_group", Type::getVoidTy(module.getContext())).getCallee();
  auto* const type = ArrayType::get(pointer, 2);
  auto* const table = new GlobalVariable(module, type, true, GlobalValue::InternalLinkage,
                                         ConstantArray::get(type, {&entry, cast<Constant>(start)}),
                                         "spica_kernel_of." + entry.getName());
  table->setSection(".spica.kernels");
  appendToUsed(module, {table});
  need_no_main(module);
}

}  // namespace spica::simt
