// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/stats.h"

namespace spica::coalescer {

struct Stats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter loads{*this, "loads", Unit::kCount, "warp loads accepted"};
  base::Counter stores{*this, "stores", Unit::kCount, "warp stores accepted"};
  base::Counter atomics{*this, "atomics", Unit::kCount, "warp atomics accepted"};
  base::Counter line_requests{*this, "line_requests", Unit::kCount, "coalesced requests sent"};
  base::Counter single_requests{*this, "single_requests", Unit::kCount, "requests of one lane sent"};
  base::Counter coalesced_lanes{*this, "coalesced_lanes", Unit::kCount,
                                "lanes that travelled in coalesced requests"};
  base::CycleAccount& activity = account("activity", "cycles of the head of the queue by reason",
                                         {"idle", "sent", "no_id", "cache_busy", "atomic_order"});
  enum Activity : unsigned { kIdle, kSent, kNoId, kCacheBusy, kAtomicOrder };
};

}  // namespace spica::coalescer
