// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CycleAnalysis.h>

#include <set>
#include <tuple>

namespace spica::simt {

/// The blocks where lanes that diverged at a branch reconverge after different paths.
///
/// LLVM 19 also computes these, but stops early if a side has three or more consecutive blocks
/// (GenericUniformityImpl.h, computeJoinPoints(): the floor follows one label only), and so considers some divergent
/// values uniform.
class Joins {
 public:
  Joins(const llvm::BasicBlock& branch, const llvm::CycleInfo& cycles,
        const llvm::DenseMap<const llvm::BasicBlock*, unsigned>& order);

  const llvm::SmallSetVector<const llvm::BasicBlock*, 8>& blocks() const { return joins_; }
  /// Loops that lanes leave at different times.
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
      labels_;  // the path on which lanes reach the block
  std::set<Key> todo_;
  llvm::SmallSetVector<const llvm::BasicBlock*, 8> joins_;
  llvm::SmallSetVector<const llvm::Cycle*, 4> left_apart_;
};

}  // namespace spica::simt
