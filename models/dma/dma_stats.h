// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/stats.h"

namespace spica::dma {

enum class ReaderActivity : unsigned { kIdle, kIssuing, kTranslating, kIds, kBusHeld, kData, kRows };
enum class WriterActivity : unsigned { kIdle, kIssuing, kIds, kBusHeld, kRows, kAcks };

struct DmaStats final : base::StatGroup {
  using Unit = base::Unit;
  base::CycleAccount& reader = account(
      "reader", "cycles of the reader of global memory by reason",
      {"idle", "issuing", "translating", "waiting_for_ids", "bus_held", "waiting_for_data", "writing_rows"});
  base::CycleAccount& writer = account(
      "writer", "cycles of the two writers by reason",
      {"idle", "issuing", "waiting_for_ids", "bus_held", "waiting_for_rows", "waiting_for_acknowledges"});
  base::Counter commands{*this, "commands", Unit::kCount, "transfer commands accepted"};
  base::Counter bytes_a{*this, "bytes_a", Unit::kBytes, "bytes of A loaded"};
  base::Counter bytes_b{*this, "bytes_b", Unit::kBytes, "bytes of B loaded"};
  base::Counter bytes_d{*this, "bytes_d", Unit::kBytes, "bytes of bias loaded"};
  base::Counter bytes_stored_global{*this, "bytes_stored_global", Unit::kBytes,
                                    "bytes of C stored to global memory"};
  base::Counter bytes_stored_shared{*this, "bytes_stored_shared", Unit::kBytes,
                                    "bytes of C stored to shared memory"};
  base::Counter read_requests{*this, "read_requests", Unit::kCount, "reads of global memory"};
  base::Counter read_bytes{*this, "read_bytes", Unit::kBytes,
                           "bytes requested by reads, unneeded ones included"};
  base::Counter read_beats{*this, "read_beats", Unit::kCount, "bus beats of data read"};
  base::Counter write_requests{*this, "write_requests", Unit::kCount, "writes to global memory"};
  base::Counter write_beats{*this, "write_beats", Unit::kCount, "bus beats of data written"};
  base::Counter shared_writes{*this, "shared_writes", Unit::kCount, "rows written to shared memory"};
  base::Counter scaled_elements{*this, "scaled_elements", Unit::kCount,
                                "elements that were scaled and converted"};
  base::Counter transposed_rows{*this, "transposed_rows", Unit::kCount, "rows that left the transposer"};
  base::Counter accumulator_accesses{*this, "accumulator_accesses", Unit::kCount,
                                     "accumulator rows read or written"};
};

}  // namespace spica::dma
