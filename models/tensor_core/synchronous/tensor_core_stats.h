// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/stats.h"

namespace spica::tensor_core {

/// What the dot-product units did in a cycle.
enum class DotReason : std::uint8_t {
  kIdle,             // no micro-op in the tensor core
  kComputing,        // a step pair is being taken, in its first or a later cycle
  kWaitingOperands,  // there are micro-ops, but no step pair with all operands
  kDraining,         // all pairs are computed; results are being written back
  kResultBlocked,    // the result FIFO is full and the pipeline stalls
  kCount,
};

/// Counters of one tensor core.
struct TensorCoreStats final : base::StatGroup {
  base::Counter instructions{*this, "instructions", base::Unit::kInstructions,
                             "tensor instructions whose last result was written back"};
  base::Counter step_pairs{*this, "step_pairs", base::Unit::kCount,
                           "4x4 blocks computed over two register words of k"};
  base::Counter macs{*this, "macs", base::Unit::kCount, "multiply-accumulates"};
  base::Counter result_rows{*this, "result_rows", base::Unit::kCount, "register rows written back"};
  base::Counter operand_full_cycles{*this, "operand_full_cycles", base::Unit::kCycles,
                                    "cycles in which the full operand or warp FIFO held a micro-op back"};
  base::Counter metadata_full_cycles{*this, "metadata_full_cycles", base::Unit::kCycles,
                                     "cycles in which a warp's full metadata queue held a micro-op back"};
  base::Counter write_back_conflicts{*this, "write_back_conflicts", base::Unit::kCycles,
                                     "cycles in which a result found its warp's write-back port taken"};
  base::CycleAccount& dot_product =
      account("dot_product", "cycles of the dot-product units by reason",
              {"idle", "computing", "waiting_operands", "draining", "result_blocked"});
};

}  // namespace spica::tensor_core
