// SPDX-License-Identifier: Apache-2.0
// What the ELF says about the kernels of a module, for kernels that tools make: as BUILT_FOR() of include/built_for.h
// and SPICA_KERNEL() of spica/group.h do for those of a source.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace spica::simt {

/// Adds a note "key=value".
void add_note(llvm::Module& module, const std::string& text);

/// Lets the module be linked to a program without main().
void need_no_main(llvm::Module& module);

/// Makes `entry`, void(const void* arguments), one that the dispatcher may start.
void list_kernel(llvm::Function& entry);

}  // namespace spica::simt
