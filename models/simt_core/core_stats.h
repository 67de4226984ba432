// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/stats.h"
#include "models/simt_core/stall_reason.h"

namespace spica::simt_core {

/// Counters of one SIMT core. A register access is one row (all lanes of a warp) read or written.
struct CoreStats final : base::StatGroup {
  base::Counter& warp_instructions = counter("warp_instructions", base::Unit::kInstructions,
                                             "instructions issued, one per warp");
  base::Counter& thread_instructions = counter("thread_instructions", base::Unit::kInstructions,
                                               "instructions issued, one per active lane");
  base::Counter& alu = counter("alu", base::Unit::kInstructions, "integer and branch instructions");
  base::Counter& fpu = counter("fpu", base::Unit::kInstructions, "floating-point instructions");
  base::Counter& load_store = counter("load_store", base::Unit::kInstructions,
                                      "loads, stores, atomics and fences");
  base::Counter& stores = counter("stores", base::Unit::kInstructions, "stores and atomics");
  base::Counter& lane_loads = counter("lane_loads", base::Unit::kCount, "words loaded by lanes");
  base::Counter& lane_stores = counter("lane_stores", base::Unit::kCount, "words stored by lanes");
  base::Counter& csr = counter("csr", base::Unit::kInstructions, "CSR instructions");
  base::Counter& sfu = counter("sfu", base::Unit::kInstructions, "CSR and warp-control instructions");
  base::Counter& tensor = counter("tensor", base::Unit::kInstructions, "tensor-core instructions (one per wmma, not per micro-op)");
  base::Counter& fetches = counter("fetches", base::Unit::kCount, "instruction fetches sent");
  base::Counter& register_reads = counter("register_reads", base::Unit::kCount,
                                          "register rows read");
  base::Counter& register_writes = counter("register_writes", base::Unit::kCount,
                                           "register rows written");
  base::Counter& barriers = counter("barriers", base::Unit::kCount, "barrier instructions");
  base::Counter& traps = counter("traps", base::Unit::kCount, "entries into a program's trap handler");
  base::CycleAccount& issue = account("issue", "what the issue stage did, one reason per cycle",
                                      issue_reason_names());
};

}  // namespace spica::simt_core
