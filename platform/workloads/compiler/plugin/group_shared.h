// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

#include <set>

namespace spica::simt {

/// Variables of a work group (`__shared__` of spica/cuda.h): those of the section .spica.shared. In the source they are
/// thread_local, so that functions may have them, with and without `extern`; here each becomes an offset that the
/// linker chooses, from tp, which the start of a kernel sets to the work group's part of shared memory. Arrays that
/// are declared only lie behind all others: __group_shared_end.
///
/// Returns the functions that access such arrays, whose length the launch says, by themselves or by what they call.
std::set<const llvm::Function*> place_group_shared(llvm::Module& module);

}  // namespace spica::simt
