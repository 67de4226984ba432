// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/stats.h"

namespace spica::cache {

struct Stats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter read_hits{*this, "read_hits", Unit::kCount,
                          "reads that found their line, or the sectors of it that they need"};
  base::Counter read_misses{*this, "read_misses", Unit::kCount,
                            "reads that fetched their line, or sectors of it"};
  base::Counter read_merged{*this, "read_merged", Unit::kCount,
                            "reads that joined outstanding fetches of their line"};
  base::Counter write_hits{*this, "write_hits", Unit::kCount,
                           "writes that found their line, or the sectors of it that they write"};
  base::Counter write_misses{*this, "write_misses", Unit::kCount, "writes that did not find it"};
  base::Counter write_merged{*this, "write_merged", Unit::kCount,
                             "writes that joined outstanding fetches of their line"};
  base::Counter replays{*this, "replays", Unit::kCount,
                        "requests answered after what they missed was filled"};
  base::Counter atomics{*this, "atomics", Unit::kCount, "atomic operations, LR and SC performed here"};
  base::Counter bytes_read{*this, "bytes_read", Unit::kBytes, "data of reads and atomics served"};
  base::Counter bytes_written{*this, "bytes_written", Unit::kBytes, "data of writes served"};
  base::Counter fills{*this, "fills", Unit::kCount,
                      "lines, or neighbouring sectors of one, filled from memory"};
  base::Counter write_backs{*this, "write_backs", Unit::kCount, "dirty lines evicted"};
  base::Counter more_sectors_read{*this, "more_sectors_read", Unit::kCount,
                                  "sectors beyond the first of each hit and replay"};
  base::Counter more_sectors_written{*this, "more_sectors_written", Unit::kCount,
                                     "sectors that writes changed here, beyond the first of each write_hit"};
  base::Counter more_sectors_filled{*this, "more_sectors_filled", Unit::kCount,
                                    "sectors beyond the first of each fill"};
  base::Counter more_sectors_written_back{*this, "more_sectors_written_back", Unit::kCount,
                                          "dirty sectors beyond the first of each write_back"};
  base::Counter memory_reads{*this, "memory_reads", Unit::kCount,
                             "requests to memory for a line or neighbouring sectors of one"};
  base::Counter memory_writes{*this, "memory_writes", Unit::kCount, "writes sent to memory"};
  base::Counter blocked_mshr{*this, "blocked_mshr", Unit::kCount,
                             "times a request found no free MSHR or no free entry in one"};
  base::Counter blocked_memory{*this, "blocked_memory", Unit::kCount,
                               "times a request found the queue to memory full"};
  base::Counter blocked_response{*this, "blocked_response", Unit::kCount,
                                 "times a request found no room for its response"};
  base::Counter hazards{*this, "hazards", Unit::kCycles,
                        "cycles a read waited directly behind a write to its line"};
  base::CycleAccount& activity =
      account("activity", "cycles of the cache by reason", {"idle", "serving", "waiting", "blocked"});
  enum Activity : unsigned { kIdle, kServing, kWaiting, kBlocked };
};

}  // namespace spica::cache
