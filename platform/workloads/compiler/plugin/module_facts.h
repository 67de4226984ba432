// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "platform/workloads/compiler/plugin/shared_access.h"

namespace spica::simt {

/// Facts about the functions of a module, from all their callers: which run in a single lane, which arguments and
/// results are uniform, and which need all lanes of a warp.
///
/// Facts about functions. Nothing is known of a function that other modules can call, unless the module is the whole
/// program.
class ModuleFacts {
 public:
  ModuleFacts(llvm::Module& module, bool is_whole_program);

  /// True for main(), constructors, functions called by simt_each_lane(), and functions called only by these or by code
  /// of a single lane.
  bool runs_in_one_lane(const llvm::Function& function) const { return one_lane_.contains(&function); }
  bool is_uniform(const llvm::Argument& argument) const { return uniform_arguments_.contains(&argument); }
  /// True for the task number, the first argument of a function called only by spawn_tasks(): it differs between lanes.
  bool is_task_number(const llvm::Argument& argument) const { return task_numbers_.contains(&argument); }
  bool has_uniform_result(const llvm::CallBase& call) const;
  /// The operation in the function, or in its callees, that needs all lanes of a warp ("a barrier"); empty: none.
  llvm::StringRef needs_all_lanes(const llvm::Function& function) const {
    return all_lanes_.lookup(&function);
  }
  /// The same for any function of this type that a pointer may refer to.
  llvm::StringRef needs_all_lanes(const llvm::FunctionType& pointed_to) const {
    return pointed_to_.lookup(&pointed_to);
  }
  /// True if the function or a callee has an instruction that needs_others() (waits.h).
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

  llvm::DenseSet<const llvm::Function*> known_;  // all callers are in this module
  llvm::DenseSet<const llvm::Argument*> task_numbers_;
  llvm::DenseSet<const llvm::CallBase*> one_lane_calls_;  // calls in parts that a single lane executes
  llvm::DenseSet<const llvm::Function*> one_lane_;
  llvm::DenseSet<const llvm::Argument*> uniform_arguments_;
  llvm::DenseSet<const llvm::Function*> uniform_results_;
  llvm::DenseMap<const llvm::Function*, llvm::StringRef> all_lanes_;
  llvm::DenseMap<const llvm::FunctionType*, llvm::StringRef> pointed_to_;
  llvm::DenseSet<const llvm::Function*> needs_others_;
  SharedAccesses accesses_;
};

/// The name, for a message, of an instruction that all lanes of a warp must execute together ("a barrier"); empty:
/// none. Does not include matrix-unit commands.
llvm::StringRef collective_name(const llvm::Instruction& instruction);

}  // namespace spica::simt
