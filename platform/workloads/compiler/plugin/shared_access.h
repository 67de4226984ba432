// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace spica::simt {

/// What an instruction does to memory by which lanes tell each other something. The stack of a lane is none.
struct SharedAccess {
  bool reads = false, writes = false;
  bool is_load = false;  // it reads and cannot write
  bool is_anywhere = false;  // at an address of which the object is not known
  llvm::SmallVector<const llvm::Value*, 2> objects;  // variables, unless `is_anywhere`

  /// Whether both may access the same object. Lanes have different addresses in it.
  bool may_meet(const SharedAccess& other) const;
  void add(const SharedAccess& other);
};

/// Which functions of a module synchronise lanes by memory: with atomic operations, volatile accesses, assembly that
/// accesses memory, or calls of functions of which that is not known.
class SharedAccesses {
 public:
  explicit SharedAccesses(const llvm::Module& module);

  /// Access of an instruction: all stores, and loads that are atomic or volatile.
  SharedAccess of(const llvm::Instruction& instruction) const;

 private:
  bool synchronises(const llvm::CallBase& call) const;
  bool does_synchronise(const llvm::Function& function) const;

  llvm::DenseSet<const llvm::Function*> quiet_;
};

}  // namespace spica::simt
