// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace spica::simt {

/// Attribute of functions that are such kernels. They stay functions, with lines and breakpoints; the entry has none.
inline constexpr char kKernel[] = "spica-kernel";

/// Kernels in the style of CUDA (spica/cuda.h): functions that are marked `spica.kernel` get an entry that the
/// dispatcher of work groups can start. It is called NAME.entry, loads the arguments from the argument block and calls
/// the kernel; notes in the program say its threads, its arguments and whether the launch sets the size of its shared
/// memory. Does nothing in modules without such marks. Functions that are marked `spica.device` are internal in a whole
/// program.
void make_grid_kernels(llvm::Module& module, bool is_whole_program);

}  // namespace spica::simt
