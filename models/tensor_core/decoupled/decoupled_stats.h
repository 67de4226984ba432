// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/stats.h"

namespace spica::tensor_core {

/// What the dot-product units of a decoupled tensor core did in a cycle. If several inputs were missing, the first one
/// in this order is counted.
enum class TileReason : std::uint8_t {
  kIdle,  // no instruction
  kComputing,  // a register row entered
  kResultBlocked,  // the write-back port was taken and everything stalled
  kWaitingA,  // waiting for the next set of A
  kWaitingB,  // waiting for the next four columns of B
  kWaitingAccumulator,  // waiting for the accumulator rows
  kDraining,  // everything is computed; results are being written back
};

/// Counters of one decoupled tensor core.
struct DecoupledStats final : base::StatGroup {
  base::Counter instructions{*this, "instructions", base::Unit::kInstructions,
                             "hgmma whose last result was written back"};
  base::Counter macs{*this, "macs", base::Unit::kCount, "multiply-accumulates"};
  base::Counter blocks_a{*this, "blocks_a", base::Unit::kCount,
                         "32-byte blocks of A read from shared memory"};
  base::Counter blocks_b{*this, "blocks_b", base::Unit::kCount,
                         "32-byte blocks of B read from shared memory"};
  base::Counter accumulator_reads{*this, "accumulator_reads", base::Unit::kCount,
                                  "register rows read; in each of these cycles the core could not issue"};
  base::Counter result_rows{*this, "result_rows", base::Unit::kCount, "register rows written back"};
  base::Counter write_back_conflicts{*this, "write_back_conflicts", base::Unit::kCycles,
                                     "cycles in which a result found its warp's write-back port taken"};
  base::CycleAccount& dot_product = account(
      "dot_product", "cycles of the dot-product units by reason",
      {"idle", "computing", "result_blocked", "waiting_a", "waiting_b", "waiting_accumulator", "draining"});
};

}  // namespace spica::tensor_core
