// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/stats.h"

namespace spica::matrix_unit {

/// The activity to which a cycle of the unit is charged; the first one that applies.
enum class Activity : unsigned {
  kIdle,
  kComputing,
  kPreloading,
  kOperandWait,
  kLoadWait,
  kStoreWait,
  kDraining,
  kLoading,
  kStoring,
  kCommands,
};

struct MatrixUnitStats final : base::StatGroup {
  using Unit = base::Unit;
  base::CycleAccount& cycles = account("cycles", "cycles of the unit by reason",
                                       {"idle", "computing", "preloading", "operand_wait", "load_wait",
                                        "store_wait", "draining", "loading", "storing", "commands"});
  base::Counter macs{*this, "macs", Unit::kCount, "multiply-accumulates, those of padding not counted"};
  base::Counter block_operations{*this, "block_operations", Unit::kCount,
                                 "computes of one DIM x DIM block of A"};
  base::Counter preloads{*this, "preloads", Unit::kCount, "blocks of weights moved into the array"};
  base::Counter rows_read_a{*this, "rows_read_a", Unit::kCount, "rows of A read from shared memory"};
  base::Counter rows_read_b{*this, "rows_read_b", Unit::kCount, "rows of B read from shared memory"};
  base::Counter operand_bytes{*this, "operand_bytes", Unit::kBytes, "A and B bytes read from shared memory"};
  base::Counter accumulator_rows_added{*this, "accumulator_rows_added", Unit::kCount,
                                       "rows written by computes"};
  base::Counter accumulator_rows_accumulated{*this, "accumulator_rows_accumulated", Unit::kCount,
                                             "rows read to be added to by computes and the DMA"};
  base::Counter accumulator_rows_read{*this, "accumulator_rows_read", Unit::kCount, "rows read by the DMA"};
  base::Counter accumulator_rows_loaded{*this, "accumulator_rows_loaded", Unit::kCount,
                                        "rows written by the DMA"};
  base::Counter cisc_commands{*this, "cisc_commands", Unit::kCount, "command words taken from CSR 0xACC"};
  base::Counter commands_lost{*this, "commands_lost", Unit::kCount,
                              "command words lost because they arrived during an expansion"};
  base::Counter mmio_commands{*this, "mmio_commands", Unit::kCount,
                              "commands launched by stores to the MMIO block"};
  base::Counter bad_commands{*this, "bad_commands", Unit::kCount, "invalid commands dropped"};
  base::Counter loops{*this, "loops", Unit::kCount, "LOOP_WS commands completed"};
  base::Counter loads{*this, "loads", Unit::kCount, "load commands sent to the DMA"};
  base::Counter stores{*this, "stores", Unit::kCount, "store commands sent to the DMA"};
  base::Counter mmio_reads{*this, "mmio_reads", Unit::kCount, "register reads, mostly polls of the busy bit"};
};

}  // namespace spica::matrix_unit
