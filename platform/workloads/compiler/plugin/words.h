// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <utility>

namespace spica::simt {

/// Arithmetic without branches that the RISC-V back end cannot turn into branches either: selections use masks that are
/// opaque to the compiler.
class Words {
 public:
  explicit Words(llvm::IRBuilder<>& builder) : b_(builder) {}

  /// A condition as 0 or 1, opaque to the compiler.
  llvm::Value* bit(llvm::Value* condition);
  /// All ones if the condition holds, else 0.
  llvm::Value* mask(llvm::Value* condition);
  /// Selects a value: integers up to 64 bits, pointers, float and double; nullptr for other types.
  llvm::Value* choose(llvm::Value* condition, llvm::Value* yes, llvm::Value* no);
  /// Compares integers of any width up to 64.
  llvm::Value* compare(llvm::CmpInst::Predicate relation, llvm::Value* a, llvm::Value* b);
  /// Two integers of 64 bits, for equality or not, opaque to the compiler.
  llvm::Value* compare_equality(llvm::CmpInst::Predicate relation, llvm::Value* a, llvm::Value* b);
  /// x shifted by `amount`, which is below 64; both have 64 bits.
  llvm::Value* shift_64(llvm::Instruction::BinaryOps operation, llvm::Value* x, llvm::Value* amount);
  llvm::Value* join(llvm::Value* low, llvm::Value* high);
  /// Low and high word.
  std::pair<llvm::Value*, llvm::Value*> split(llvm::Value* value);

 private:
  llvm::Value* choose_by(llvm::Value* mask, llvm::Value* yes, llvm::Value* no);
  llvm::Value* choose_word(llvm::Value* mask, llvm::Value* yes, llvm::Value* no);
  llvm::Value* compare_64(llvm::CmpInst::Predicate relation, llvm::Value* a, llvm::Value* b);

  llvm::IRBuilder<>& b_;
};

}  // namespace spica::simt
