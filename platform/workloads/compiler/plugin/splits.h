// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Dominators.h>

#include <cstddef>

#include "platform/workloads/compiler/plugin/shape.h"

namespace spica::simt {

/// How many instructions were inserted; there are as many joins as splits.
struct SplitCounts {
  std::size_t splits = 0, preds = 0;
};

/// Puts the SIMT instructions in place:
/// * a branch whose sides meet: `split` in front of it, `join` in a block of its own where the sides meet. The lanes of
///   the second side continue behind the split and take the same branch;
/// * a loop: its last branch becomes `pred` and a branch. A lane that is through stops at the pred; when the last one
///   is, all continue there, each with a condition of its own that says "leave".
/// In both, a lane continues where it stopped, with its own registers. So what register allocation and scheduling make
/// of the code is right as long as it is right for a single lane, and none of these instructions is duplicated.
/// Branches that the SIMT stack has no entry for do with `pred` as well (pred_if.h). No analysis of the function is
/// valid behind this.
SplitCounts insert_splits(Shape& shape, const llvm::DominatorTree& dominators);

}  // namespace spica::simt
