// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace spica::simt {

/// The access of an instruction to memory through which lanes may communicate. A lane's stack is not such memory.
struct SharedAccess {
  bool reads = false, writes = false;
  bool is_load = false;  // it reads and never writes
  bool is_anywhere = false;  // the object at the address is unknown
  llvm::SmallVector<const llvm::Value*, 2> objects;  // variables, if not `is_anywhere`

  /// True if both may access the same object. Lanes have different addresses in it.
  bool may_meet(const SharedAccess& other) const;
  void add(const SharedAccess& other);
};

/// Finds functions that synchronise lanes through memory: with atomic operations, volatile accesses, assembly that
/// accesses memory, or calls of unknown functions.
class SharedAccesses {
 public:
  explicit SharedAccesses(const llvm::Module& module);

  /// The access of an instruction: all stores, and loads that are atomic or volatile.
  SharedAccess of(const llvm::Instruction& instruction) const;

 private:
  bool synchronises(const llvm::CallBase& call) const;
  bool does_synchronise(const llvm::Function& function) const;

  llvm::DenseSet<const llvm::Function*> quiet_;
};

}  // namespace spica::simt
