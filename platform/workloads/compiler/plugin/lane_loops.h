// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include "platform/workloads/compiler/plugin/uniformity.h"

namespace spica::simt {

/// Returns the instructions that lanes must execute one after the other: calls through a pointer that may differ
/// between lanes, and atomic operations without an instruction on this machine (compare-and-exchange, on less than a
/// word, of floats). The latter become a loop that a lane leaves when no other lane has interfered.
llvm::SmallVector<llvm::Instruction*, 4> one_by_one(llvm::Function& function, const Uniformity& uniformity);

/// Puts such an instruction into a loop over the active lanes. Invalidates analyses of the function.
void insert_lane_loop(llvm::Instruction& instruction);

}  // namespace spica::simt
