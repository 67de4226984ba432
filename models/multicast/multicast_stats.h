// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/stats.h"

namespace spica::multicast {

/// Each marked load ends once: as half of a multicast, or as a fallback of one kind.
struct Stats final : base::StatGroup {
  using Unit = base::Unit;

  base::Counter loads{*this, "loads", Unit::kInstructions, "marked loads that came"};
  base::Counter multicasts{*this, "multicasts", Unit::kCount, "pairs of loads that were one read"};
  base::Counter fallbacks{*this, "fallbacks", Unit::kInstructions, "marked loads that were read alone"};
  base::Counter fallbacks_full{*this, "fallbacks_full", Unit::kInstructions,
                               "of them because the table was full"};
  base::Counter fallbacks_drain{*this, "fallbacks_drain", Unit::kInstructions,
                                "of them because a fence or barrier waited for them"};
  base::Counter fallbacks_store{*this, "fallbacks_store", Unit::kInstructions,
                                "of them because of a store or atomic of the same warp"};
  base::Counter fallbacks_timeout{*this, "fallbacks_timeout", Unit::kInstructions,
                                  "of them because no other warp came in time"};
  base::Counter false_matches{*this, "false_matches", Unit::kCount,
                              "pairs with the same key whose lanes are on different addresses"};
  base::Counter reads{*this, "reads", Unit::kCount, "accesses to shared memory that marked loads became"};
  base::Counter bytes_read{*this, "bytes_read", Unit::kBytes, "that these read, of all lanes"};
  base::Counter bytes_saved{*this, "bytes_saved", Unit::kBytes,
                            "that were written to a second register file"};
  base::Counter compared_entries{*this, "compared_entries", Unit::kCount,
                                 "entries of the table that loads were compared with"};
  base::Counter wait_cycles{*this, "wait_cycles", Unit::kCycles,
                            "from the decision that a load waits until it leaves the table, sum over all"};
  base::Counter max_fill{*this, "max_fill", Unit::kCount,
                         "most entries of the table that were taken at a time"};
};

}  // namespace spica::multicast
