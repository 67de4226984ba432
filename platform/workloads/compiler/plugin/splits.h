// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Dominators.h>

#include <cstddef>

#include "platform/workloads/compiler/plugin/shape.h"

namespace spica::simt {

/// The number of inserted instructions; there are as many joins as splits.
struct SplitCounts {
  std::size_t splits = 0, preds = 0;
};

/// Inserts the SIMT instructions:
/// * a branch whose sides meet: `split` before it, `join` in a separate block where the sides meet. The lanes of the
///   second side continue after the split and execute the same branch;
/// * a loop: its last branch becomes `pred` and a branch. A lane that leaves the loop stops at the pred; when all lanes
///   have left it, all continue there, each with its own condition, which is "leave".
/// In both cases, a lane continues where it stopped, with its own registers. So register allocation and scheduling are
/// correct if they are correct for a single lane and do not duplicate these instructions. Branches without a free entry
/// of the SIMT stack use `pred` as well (pred_if.h). Invalidates all analyses of the function.
SplitCounts insert_splits(Shape& shape, const llvm::DominatorTree& dominators);

}  // namespace spica::simt
