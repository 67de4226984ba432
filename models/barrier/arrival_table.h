// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/round_robin.h"
#include "models/base/types.h"

namespace spica::barrier {

/// The cores that have arrived at each barrier: one row per id, one bit per core. A row is complete when all
/// its cores have set their bit; complete rows are released one per call, round robin among ids.
class ArrivalTable {
 public:
  ArrivalTable(unsigned ids, unsigned cores);

  struct Release {
    unsigned id;
    std::uint32_t cores;  // that wait, a bit each
    bool without_some;  // a core has left
    base::Cycle first, last;  // arrivals that opened and completed the row
    base::Cycle core_cycles;  // sum over the cores of their wait for the last one
  };

  /// Core `core` arrives at `id`. False when its bit was set already: the arrival is lost.
  bool arrive(unsigned core, unsigned id, base::Cycle now);
  bool any_complete() const { return complete_ != 0; }
  /// Picks a complete row and clears it. Only when any_complete().
  Release release();
  /// From now on, `id` is complete when these cores have arrived, a bit each; at first all. No core waits there.
  void share(unsigned id, std::uint32_t cores) {
    rows_[id].cores = cores;
    rows_[id].left = false;
  }
  /// The core no longer takes part in `id`, where it does not wait.
  void leave(unsigned id, unsigned core);
  std::uint32_t cores(unsigned id) const { return rows_[id].cores; }

  /// Cores that have arrived at `id`, one bit each.
  std::uint32_t arrived(unsigned id) const { return rows_[id].arrived; }
  /// Cycle of the first arrival at an open row.
  base::Cycle opened(unsigned id) const { return rows_[id].first; }
  unsigned ids() const { return static_cast<unsigned>(rows_.size()); }
  /// True when no core waits anywhere.
  bool empty() const;
  void reset();
  /// Sets the time of all arrivals so far to `now`.
  void date(base::Cycle now);
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows_, complete_, next_);
  }

 private:
  struct Row {
    std::uint32_t cores = 0, arrived = 0;
    base::Cycle first = 0, last = 0;
    base::Cycle sum = 0;  // of the arrival cycles
    bool left = false;  // a core has left since share()
  };
  void complete_if_all(unsigned id) {
    const Row& row = rows_[id];
    if (row.arrived != 0 && row.arrived == row.cores) complete_ |= std::uint64_t{1} << id;
  }
  std::vector<Row> rows_;
  const std::uint32_t all_cores_;
  std::uint64_t complete_ = 0;  // by id
  base::RoundRobin next_;
};

}  // namespace spica::barrier
