// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace spica::simt {

class ModuleFacts;

/// Before clang inlines what must be inlined: a function that needs all lanes of a warp and what it calls become one,
/// so that it is known there, as in optimised code, what is the same in all lanes. Other calls stay calls.
void inline_collectives(llvm::Module& module, const ModuleFacts& facts);

/// For code that a debugger follows: every local variable has a place on the stack that the debug information names and
/// that is written whenever the variable is. Those whose address is known nowhere else also become values, as in
/// optimised code, so that it is known which are the same in all lanes. Returns what release_variables() needs.
std::vector<llvm::DebugLoc> keep_variables(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

/// Whether the program has no such use of the value: a store to what the debugger sees of a variable.
bool is_for_debugger(const llvm::Use& use);

/// Removes what held the variables on the stack, when the passes that would have removed them are done. Nothing
/// optimises the function later. Code that is not of the source has no lines then.
void release_variables(llvm::Function& function, const std::vector<llvm::DebugLoc>& ends);

}  // namespace spica::simt
