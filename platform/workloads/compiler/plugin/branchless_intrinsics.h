// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace spica::simt {

/// The replacement of an instruction, or the reason why there is none. Both empty: it needs no replacement.
struct Lowered {
  llvm::Value* value = nullptr;
  llvm::StringRef problem;
};

/// True for floor, ceil, trunc and the like of a float.
bool is_rounding(const llvm::Instruction& instruction);
/// Computes the value of an LLVM intrinsic without a branch in the back end.
Lowered lower_intrinsic(llvm::IntrinsicInst& call, llvm::IRBuilder<>& builder);

}  // namespace spica::simt
