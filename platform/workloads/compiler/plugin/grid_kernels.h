// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace spica::simt {

/// Attribute of such kernels. They remain functions, with lines and breakpoints; the entry has none.
inline constexpr char kKernel[] = "spica-kernel";

/// Kernels in the style of CUDA (spica/cuda.h): each function marked `spica.kernel` gets an entry that the dispatcher
/// of work groups can start. The entry NAME.entry loads the arguments from the argument block and calls the kernel.
/// Notes in the program describe the kernel's threads, its arguments, and whether the launch sets the size of its
/// shared memory. Without such marks the module is unchanged. Functions marked `spica.device` become internal in a
/// whole program.
void make_grid_kernels(llvm::Module& module, bool is_whole_program);

}  // namespace spica::simt
