// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/workloads/compiler/plugin/shape.h"

namespace spica::simt {

/// True if the two sides of a branch have no common block.
bool has_separate_sides(const DivergentIf& one);

/// A way to diverge without an entry of the SIMT stack, so that nesting is unlimited, including calls and recursion.
/// Each side becomes a loop that begins with `pred`: lanes that take the side continue, the others stop there. When the
/// former come back, no lane takes the side again, and all continue together with their own registers. This costs some
/// more instructions than split and join. `meeting`: the separate block where the sides meet. Returns the new blocks.
/// Removes the branch; preserves no analysis.
llvm::SmallVector<llvm::BasicBlock*, 4> insert_pred_if(DivergentIf& one, llvm::BasicBlock& meeting);

}  // namespace spica::simt
