// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include "platform/workloads/compiler/plugin/uniformity.h"

namespace spica::simt {

/// The instructions that lanes can only do one after the other: calls through a pointer that may differ, and atomic
/// operations that this machine has no instruction for (compare and exchange, on less than a word, of floats), which
/// become a loop that a lane leaves when no other has interfered.
llvm::SmallVector<llvm::Instruction*, 4> one_by_one(llvm::Function& function, const Uniformity& uniformity);

/// Puts such an instruction into a loop over the active lanes. Analyses of the function are no longer valid.
void insert_lane_loop(llvm::Instruction& instruction);

}  // namespace spica::simt
