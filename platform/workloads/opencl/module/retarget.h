// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace spica::opencl {

/// Makes a module that clang compiled for 32-bit nvptx one for the lanes of Spica (riscv32, ilp32f): triple, layout of
/// data, attributes, calling conventions. Casts between address spaces become conversions of integers, because all
/// spaces share the addresses of the machine. Types keep their layout: both targets agree on that of OpenCL C.
void retarget(llvm::Module& module);

}  // namespace spica::opencl
