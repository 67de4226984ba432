// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "platform/workloads/compiler/plugin/shared_access.h"

namespace spica::simt {

/// What is known of the functions of a module from all places that call them: which run in one lane only, which
/// arguments and results are the same in all lanes, and which need all lanes of a warp.
///
/// Facts about functions. Nothing is known of a function that other modules can call, unless the module is the whole
/// program.
class ModuleFacts {
 public:
  ModuleFacts(llvm::Module& module, bool is_whole_program);

  /// main(), constructors, what simt_each_lane() calls, and what is only called by these or where one lane is.
  bool runs_in_one_lane(const llvm::Function& function) const { return one_lane_.contains(&function); }
  bool is_uniform(const llvm::Argument& argument) const { return uniform_arguments_.contains(&argument); }
  /// The number of a task, the first argument of a function that only spawn_tasks() calls: another one in each lane.
  bool is_task_number(const llvm::Argument& argument) const { return task_numbers_.contains(&argument); }
  bool has_uniform_result(const llvm::CallBase& call) const;
  /// What the function does, itself or by others that it calls, that needs all lanes of a warp ("a barrier"); empty:
  /// nothing.
  llvm::StringRef needs_all_lanes(const llvm::Function& function) const {
    return all_lanes_.lookup(&function);
  }
  /// The same of any function of this type that a pointer may point to.
  llvm::StringRef needs_all_lanes(const llvm::FunctionType& pointed_to) const {
    return pointed_to_.lookup(&pointed_to);
  }
  /// Whether it, or one that it calls, has an instruction that needs_others() (waits.h).
  bool needs_others(const llvm::Function& function) const { return needs_others_.contains(&function); }
  const SharedAccesses& accesses() const { return accesses_; }

 private:
  void find_known(llvm::Module& module, bool is_whole_program);
  void find_one_lane_calls(llvm::Module& module);
  void find_one_lane(llvm::Module& module);
  void find_all_lanes(llvm::Module& module);
  void find_needs_others(llvm::Module& module);
  void find_uniform(llvm::Module& module);
  bool visit_calls(llvm::Function& function);
  bool is_one_lane_use(const llvm::Use& use) const;

  llvm::DenseSet<const llvm::Function*> known_;  // all places that call it are in this module
  llvm::DenseSet<const llvm::Argument*> task_numbers_;
  llvm::DenseSet<const llvm::CallBase*> one_lane_calls_;  // in parts of functions that one lane executes
  llvm::DenseSet<const llvm::Function*> one_lane_;
  llvm::DenseSet<const llvm::Argument*> uniform_arguments_;
  llvm::DenseSet<const llvm::Function*> uniform_results_;
  llvm::DenseMap<const llvm::Function*, llvm::StringRef> all_lanes_;
  llvm::DenseMap<const llvm::FunctionType*, llvm::StringRef> pointed_to_;
  llvm::DenseSet<const llvm::Function*> needs_others_;
  SharedAccesses accesses_;
};

/// For a message: what an instruction is that all lanes of a warp have to do together ("a barrier"); empty: none such.
/// Commands to a matrix unit are another matter.
llvm::StringRef collective_name(const llvm::Instruction& instruction);

}  // namespace spica::simt
