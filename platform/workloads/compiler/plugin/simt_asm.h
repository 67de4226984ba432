// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace spica::simt {

/// The effect of an inline assembly statement on lanes, recognised by its text: the statements of sw/lib/include, and
/// user statements with the same text.
enum class AsmKind : std::uint8_t {
  kNotAsm,
  kPure,  // a function of its operands, all in registers: uniform if they are
  kUniform,  // the same in all active lanes, regardless of the operands
  kBarrier,
  kMask,  // tmc, pred: changes which lanes are active
  kSpawn,  // wspawn: starts warps
  kAllLanes,  // tensor-core and warp-matrix instructions: all lanes take part
  kMatrixCommand,  // takes its value from lane 0
  kSplit,  // from the macros of simt.h
  kJoin,
  kOther,
};

AsmKind asm_kind(const llvm::Value& value);
/// True if it reads the lane number, within the warp or the machine.
bool reads_lane(const llvm::Value& value);
/// True if it reads the place of the thread in its work group.
bool reads_place_in_group(const llvm::Value& value);

/// A statement that the compiler must not duplicate, merge, or move into or out of conditional code.
llvm::CallInst* make_fixed_asm(llvm::IRBuilder<>& builder, llvm::Type* result,
                               llvm::ArrayRef<llvm::Value*> operands, llvm::StringRef text,
                               llvm::StringRef constraints);
/// The same 32-bit value, opaque to the compiler.
llvm::Value* hide(llvm::IRBuilder<>& builder, llvm::Value* word);
/// One instruction without side effects.
llvm::CallInst* make_pure_asm(llvm::IRBuilder<>& builder, llvm::Type* result,
                              llvm::ArrayRef<llvm::Value*> operands, llvm::StringRef text,
                              llvm::StringRef constraints);
/// The mask of active lanes of the warp.
llvm::CallInst* read_mask(llvm::IRBuilder<>& builder);
/// Only the lanes in `stays` continue; if there are none, all lanes in `all` do. Returns a copy of `stays`, one word.
llvm::CallInst* make_pred(llvm::IRBuilder<>& builder, llvm::Value* all, llvm::Value* stays);
/// The lane number within the warp.
llvm::CallInst* read_lane(llvm::IRBuilder<>& builder);

}  // namespace spica::simt
