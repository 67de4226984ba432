// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstdint>

namespace spica::opencl {

inline constexpr unsigned kLocalSpace = 3;
inline constexpr unsigned kLocalAlignment = 16;  // of the memory behind the static variables

/// The address of the group's part of shared memory.
llvm::Value* group_memory(llvm::IRBuilder<>& builder);

/// Turns the __local variables of a module into offsets in the group's part of shared memory. Variables of different
/// kernels overlap; those that several kernels reach come first. Returns the bytes that each kernel needs, a multiple
/// of kLocalAlignment.
llvm::DenseMap<const llvm::Function*, uint64_t> place_local_variables(
    llvm::Module& module, llvm::ArrayRef<llvm::Function*> kernels);

}  // namespace spica::opencl
