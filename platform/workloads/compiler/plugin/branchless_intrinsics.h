// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace spica::simt {

/// What an instruction was replaced by, or why it cannot be. Both empty: it needs no replacement.
struct Lowered {
  llvm::Value* value = nullptr;
  llvm::StringRef problem;
};

/// floor, ceil, trunc and the like of a float.
bool is_rounding(const llvm::Instruction& instruction);
/// The same value as an intrinsic function of LLVM, without a branch in the back end.
Lowered lower_intrinsic(llvm::IntrinsicInst& call, llvm::IRBuilder<>& builder);

}  // namespace spica::simt
