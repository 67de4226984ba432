// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

namespace spica::opencl {

/// Bytes of the argument block before the first argument: words of the global offset (x, y, z), work_dim, flags,
/// printf, and two reserved ones (sw/opencl/work_item.cl).
inline constexpr unsigned kHeadBytes = 32;

/// The kernels of a module that clang compiled, in its order.
std::vector<llvm::Function*> kernels_of(llvm::Module& module);

/// Turns each kernel into `void NAME.entry(const void* block)`, which the dispatcher starts with the address of the
/// argument block: the head, then the arguments by natural alignment. __global and __constant pointers are addresses,
/// __local ones offsets behind the static variables of the kernel. Adds the notes from which loaders know the kernels
/// (platform/machine/loader/kernels.h). Kernels that others call remain as functions.
void make_entries(llvm::Module& module, llvm::ArrayRef<llvm::Function*> kernels);

}  // namespace spica::opencl
