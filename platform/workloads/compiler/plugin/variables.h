// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace spica::simt {

class ModuleFacts;

/// Before clang's mandatory inlining: inlines the callees of a function that needs all lanes of a warp, so that uniform
/// values are known there as in optimised code. Other calls remain.
void inline_collectives(llvm::Module& module, const ModuleFacts& facts);

/// For code to be debugged: every local variable has a stack slot named in the debug information, which is written
/// whenever the variable is. Variables whose address does not escape also become values, as in optimised code, so that
/// uniform ones are known. Returns the argument for release_variables().
std::vector<llvm::DebugLoc> keep_variables(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

/// True if the use is only a store to the debugger's copy of a variable.
bool is_for_debugger(const llvm::Use& use);

/// Removes the dependencies that kept the variables on the stack, after the passes that would have removed these. No
/// optimisation must follow. Code without a source then has no lines.
void release_variables(llvm::Function& function, const std::vector<llvm::DebugLoc>& ends);

}  // namespace spica::simt
