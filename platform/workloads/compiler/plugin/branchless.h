// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>

#include <utility>
#include <vector>

#include "platform/workloads/compiler/plugin/uniformity.h"

namespace spica::simt {

/// Replaces instructions that the RISC-V back end would turn into branches (select, minimum, 64-bit comparison and
/// shift, counting zeros, ...) by arithmetic, where lanes may have different values. Returns the instructions that it
/// cannot replace, with their names.
std::vector<std::pair<llvm::Instruction*, llvm::StringRef>> remove_hidden_branches(
    llvm::Function& function, const Uniformity& uniformity, unsigned& replaced);

}  // namespace spica::simt
