// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

#include <set>

namespace spica::simt {

/// Variables of a work group (`__shared__` of spica/cuda.h), in section .spica.shared. In the source they are
/// thread_local, which allows them in functions, with and without `extern`. Here each becomes an offset, chosen by the
/// linker, from tp, which the start of a kernel sets to the work group's part of shared memory. Arrays without a length
/// are placed after all others: __group_shared_end.
///
/// Returns the functions that access arrays whose length the launch sets, directly or through calls.
std::set<const llvm::Function*> place_group_shared(llvm::Module& module);

}  // namespace spica::simt
