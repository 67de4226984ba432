// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/channel_account.h"

namespace spica::main_memory {

struct Stats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter reads{*this, "reads", Unit::kCount, "read requests"};
  base::Counter writes{*this, "writes", Unit::kCount, "write requests"};
  base::Counter bytes_read{*this, "bytes_read", Unit::kBytes, "data of reads"};
  base::Counter bytes_written{*this, "bytes_written", Unit::kBytes, "data of writes"};
  base::Counter row_hits{*this, "row_hits", Unit::kCount, "accesses that found their row open"};
  base::Counter row_misses{*this, "row_misses", Unit::kCount, "accesses that found no open row"};
  base::Counter row_conflicts{*this, "row_conflicts", Unit::kCount, "accesses that had to close another row"};
  base::Counter refreshes{*this, "refreshes", Unit::kCount,
                          "refreshes of a channel, counted when the next access arrives"};
  base::Counter address_errors{*this, "address_errors", Unit::kCount, "requests outside memory"};
  base::CycleAccount& activity = account("activity", "requests in memory", {"idle", "busy"});
  enum Activity : unsigned { kIdle, kBusy };
};

/// Why a channel carries no data although a request waits for it.
enum ChannelWait : unsigned {
  kQueueFull = base::ChannelAccount::kFirstWait,
  kBanks,  // DRAM only
};

}  // namespace spica::main_memory
