// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>

#include <utility>
#include <vector>

#include "platform/workloads/compiler/plugin/uniformity.h"

namespace spica::simt {

/// Replaces what the RISC-V back end turns into a branch of its own (select, minimum, 64-bit comparison and shift,
/// counting zeros, ...) by arithmetic, where lanes may have different values. Returns the instructions that it cannot
/// replace, each with what it is.
std::vector<std::pair<llvm::Instruction*, llvm::StringRef>> remove_hidden_branches(
    llvm::Function& function, const Uniformity& uniformity, unsigned& replaced);

}  // namespace spica::simt
