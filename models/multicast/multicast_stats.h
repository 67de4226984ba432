// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/stats.h"

namespace spica::multicast {

/// Each marked load is counted once: as half of a multicast, or as one kind of fallback.
struct Stats final : base::StatGroup {
  using Unit = base::Unit;

  base::Counter loads{*this, "loads", Unit::kInstructions, "marked loads"};
  base::Counter multicasts{*this, "multicasts", Unit::kCount, "pairs of loads served by one read"};
  base::Counter fallbacks{*this, "fallbacks", Unit::kInstructions, "marked loads that proceeded alone"};
  base::Counter fallbacks_full{*this, "fallbacks_full", Unit::kInstructions,
                               "fallbacks because the table was full"};
  base::Counter fallbacks_drain{*this, "fallbacks_drain", Unit::kInstructions,
                                "fallbacks because a fence or barrier waited"};
  base::Counter fallbacks_store{*this, "fallbacks_store", Unit::kInstructions,
                                "fallbacks because of a store or atomic of the same warp"};
  base::Counter fallbacks_timeout{*this, "fallbacks_timeout", Unit::kInstructions,
                                  "fallbacks because no partner arrived in time"};
  base::Counter false_matches{*this, "false_matches", Unit::kCount,
                              "pairs with the same key and different addresses"};
  base::Counter reads{*this, "reads", Unit::kCount, "accesses of marked loads to shared memory"};
  base::Counter bytes_read{*this, "bytes_read", Unit::kBytes,
                           "bytes read by accesses of marked loads, all lanes"};
  base::Counter bytes_saved{*this, "bytes_saved", Unit::kBytes,
                            "bytes written to a second register file without a read"};
  base::Counter compared_entries{*this, "compared_entries", Unit::kCount,
                                 "entries of the table that loads were compared with"};
  base::Counter wait_cycles{*this, "wait_cycles", Unit::kCycles, "time of loads in the table, sum over all"};
  base::Counter max_fill{*this, "max_fill", Unit::kCount, "largest number of entries of the table in use"};
};

}  // namespace spica::multicast
