// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace spica::simt {

/// What an inline assembly statement does, as far as lanes are concerned. It is recognised by its text: the statements
/// of sw/lib/include, and a user's own that are written alike.
enum class AsmKind : std::uint8_t {
  kNotAsm,
  kPure,  // a function of its operands, all in registers: the same in all lanes where these are
  kUniform,  // the same in all active lanes, whatever the operands
  kBarrier,
  kMask,  // tmc, pred: changes which lanes are active
  kSpawn,  // wspawn: starts warps
  kAllLanes,  // tensor cores and warp matrix instructions: all lanes take part
  kMatrixCommand,  // takes its value from lane 0
  kSplit,  // those of the macros of simt.h
  kJoin,
  kOther,
};

AsmKind asm_kind(const llvm::Value& value);
/// Whether it reads the number of the lane, in its warp or in the machine.
bool reads_lane(const llvm::Value& value);

/// A statement that the compiler may neither duplicate, merge, nor move into or out of conditional code.
llvm::CallInst* make_fixed_asm(llvm::IRBuilder<>& builder, llvm::Type* result,
                               llvm::ArrayRef<llvm::Value*> operands, llvm::StringRef text,
                               llvm::StringRef constraints);
/// The same 32-bit value, of which the compiler knows nothing.
llvm::Value* hide(llvm::IRBuilder<>& builder, llvm::Value* word);
/// One instruction without side effects.
llvm::CallInst* make_pure_asm(llvm::IRBuilder<>& builder, llvm::Type* result,
                              llvm::ArrayRef<llvm::Value*> operands, llvm::StringRef text,
                              llvm::StringRef constraints);
/// Bit per active lane of the warp.
llvm::CallInst* read_mask(llvm::IRBuilder<>& builder);
/// Only the lanes that stay continue; without any, all of `all`. Returns a copy of `stays`, a word.
llvm::CallInst* make_pred(llvm::IRBuilder<>& builder, llvm::Value* all, llvm::Value* stays);
/// Number of the lane in the warp.
llvm::CallInst* read_lane(llvm::IRBuilder<>& builder);

}  // namespace spica::simt
