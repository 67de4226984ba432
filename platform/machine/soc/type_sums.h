// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/block_type.h"
#include "models/base/component.h"

namespace spica::soc {

class MeasuredMachine;

/// The statistics of a machine, summed over all blocks of a type: a short row that can be read often during a run. The
/// difference of two rows is what the machine counted between them.
class TypeSums {
 public:
  using Row = std::vector<std::uint64_t>;
  /// Cycles by reason of an account, over all blocks.
  using Cycles = std::vector<std::pair<std::string_view, std::uint64_t>>;

  explicit TypeSums(const MeasuredMachine& machine);

  /// All sums so far. Update lazy counters first (MeasuredMachine::catch_up). Accounts are read, not settled: cycles
  /// since the last charge count for the reason given then, and a reason that a block learns later is corrected in
  /// the next row.
  Row read() const;

  /// The types in the machine that declare themselves, in tick order of their first blocks.
  const std::vector<const base::BlockType*>& types() const { return types_; }
  std::uint64_t blocks(const base::BlockType& type) const;
  /// The mean of a property over the blocks of a type.
  double mean_property(const base::BlockType& type, std::string_view name) const;

  /// Of each column: TYPE.COUNTER, TYPE.ACCOUNT.REASON or TYPE.block_cycles.
  std::vector<std::string> column_names() const;

  // -- of a row, or of the difference of two
  /// Cycles of the blocks, each in its own clock, added up.
  std::uint64_t block_cycles(const Row& row, const base::BlockType& type) const;
  std::uint64_t counted(const Row& row, const base::BlockType& type, const base::CounterNames& names) const;
  Cycles cycles(const Row& row, const base::BlockType& type, std::string_view account) const;

 private:
  struct Column {
    const base::BlockType* type;
    std::string_view name;  // of a counter or account; empty: cycles of the blocks
    std::string_view reason;  // empty: a counter
  };
  template <class Statistic>
  struct Source {
    const base::Component* block;
    const Statistic* statistic;
    std::size_t column;  // for an account, that of its first reason
  };

  std::vector<const base::BlockType*> types_;
  std::vector<const base::Component*> blocks_;
  std::vector<std::size_t> cycle_columns_;  // by block
  std::vector<Column> columns_;
  std::vector<Source<base::Counter>> counters_;
  std::vector<Source<base::CycleAccount>> accounts_;
};

}  // namespace spica::soc
