// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/stats.h"

namespace spica::dma {

enum class ReaderActivity : unsigned {
  kIdle,
  kIssuing,
  kTranslating,
  kIds,
  kBusHeld,
  kData,
  kRows
};
enum class WriterActivity : unsigned { kIdle, kIssuing, kIds, kBusHeld, kRows, kAcks };

struct DmaStats final : base::StatGroup {
  using Unit = base::Unit;
  base::CycleAccount& reader =
      account("reader", "what the reader of global memory spends its time on",
              {"idle", "issuing", "translating", "waiting_for_ids", "bus_held", "waiting_for_data",
               "writing_rows"});
  base::CycleAccount& writer = account("writer", "what the two writers spend their time on",
                                       {"idle", "issuing", "waiting_for_ids", "bus_held",
                                        "waiting_for_rows", "waiting_for_acknowledges"});
  base::Counter& commands = counter("commands", Unit::kCount, "moves taken");
  base::Counter& bytes_a = counter("bytes_a", Unit::kBytes, "bytes of A loaded");
  base::Counter& bytes_b = counter("bytes_b", Unit::kBytes, "bytes of B loaded");
  base::Counter& bytes_d = counter("bytes_d", Unit::kBytes, "bytes of bias loaded");
  base::Counter& bytes_stored_global =
      counter("bytes_stored_global", Unit::kBytes, "bytes of C stored to global memory");
  base::Counter& bytes_stored_shared =
      counter("bytes_stored_shared", Unit::kBytes, "bytes of C stored to shared memory");
  base::Counter& read_requests = counter("read_requests", Unit::kCount, "reads of global memory");
  base::Counter& read_bytes =
      counter("read_bytes", Unit::kBytes, "bytes requested by them, with what is not wanted");
  base::Counter& read_beats = counter("read_beats", Unit::kCount, "bus beats of their data");
  base::Counter& write_requests =
      counter("write_requests", Unit::kCount, "writes to global memory");
  base::Counter& write_beats = counter("write_beats", Unit::kCount, "bus beats of their data");
  base::Counter& shared_writes =
      counter("shared_writes", Unit::kCount, "rows written to shared memory");
  base::Counter& accumulator_accesses =
      counter("accumulator_accesses", Unit::kCount, "accumulator rows read or written");
};

}  // namespace spica::dma
