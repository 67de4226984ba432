// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/cache/bank.h"
#include "models/cache/cache_stats.h"
#include "models/cache/parts.h"

namespace spica::cache {

/// Hits, misses and evictions by partition; does nothing without partitions. Call in each cycle after the bank has
/// acted.
class PartCounters {
 public:
  /// Adds the counters to those of the cache.
  PartCounters(const Params& params, Stats& stats);

  bool several() const { return parts_.several(); }
  /// Counts a step() of the bank; `request`: the request that took effect in it, or nullptr.
  void count(const Bank& bank, const Request* request);
  /// Counts a step_fill() of the bank.
  void count_placed(const Bank& bank);

 private:
  struct Part {
    base::Counter &hits, &misses, &lines, &evictions;
  };

  const Parts parts_;
  std::vector<Part> counters_;
};

}  // namespace spica::cache
