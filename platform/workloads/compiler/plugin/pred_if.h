// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/workloads/compiler/plugin/shape.h"

namespace spica::simt {

/// Whether the two sides of a branch have no block in common.
bool has_separate_sides(const DivergentIf& one);

/// The other way to diverge, without an entry of the SIMT stack, so that there is no limit to how many lie within each
/// other, calls and recursion included. Each side becomes a loop that begins with `pred`: the lanes that take the side
/// continue, the others stop there; those come back, want nothing more, and all continue together, each with its
/// own registers. Some instructions more than split and join. `meeting`: the block of its own where the sides meet.
/// Returns the new blocks. The branch is gone then. Keeps no analysis.
llvm::SmallVector<llvm::BasicBlock*, 4> insert_pred_if(DivergentIf& one, llvm::BasicBlock& meeting);

}  // namespace spica::simt
