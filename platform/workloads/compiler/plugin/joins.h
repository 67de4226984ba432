// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CycleAnalysis.h>

#include <set>
#include <tuple>

namespace spica::simt {

/// Where lanes come together that have parted at a branch, each on a way of its own.
///
/// LLVM 19 also looks for these places, and stops early where a side has three blocks or more behind each other
/// (GenericUniformityImpl.h, computeJoinPoints(): the floor follows one label only), so that it takes values for
/// uniform that differ.
class Joins {
 public:
  Joins(const llvm::BasicBlock& branch, const llvm::CycleInfo& cycles,
        const llvm::DenseMap<const llvm::BasicBlock*, unsigned>& order);

  const llvm::SmallSetVector<const llvm::BasicBlock*, 8>& blocks() const { return joins_; }
  /// Cycles that lanes leave at different times.
  const llvm::SmallSetVector<const llvm::Cycle*, 4>& left_apart() const { return left_apart_; }

 private:
  using Key = std::tuple<unsigned, bool, unsigned, const llvm::BasicBlock*>;
  const llvm::Cycle* common_cycle(const llvm::BasicBlock& block) const;
  Key key_of(const llvm::BasicBlock& block) const;
  bool push(const llvm::BasicBlock& to, const llvm::BasicBlock& label);
  void visit(const llvm::BasicBlock& block);

  const llvm::BasicBlock& branch_;
  const llvm::CycleInfo& cycles_;
  const llvm::DenseMap<const llvm::BasicBlock*, unsigned>& order_;
  llvm::DenseMap<const llvm::BasicBlock*, const llvm::BasicBlock*>
      labels_;  // the way by which lanes get there
  std::set<Key> todo_;
  llvm::SmallSetVector<const llvm::BasicBlock*, 8> joins_;
  llvm::SmallSetVector<const llvm::Cycle*, 4> left_apart_;
};

}  // namespace spica::simt
