// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/cache/bank.h"
#include "models/cache/cache_stats.h"
#include "models/cache/parts.h"

namespace spica::cache {

/// What the requests of each part find, and what becomes of the lines in it; nothing where the ways have no parts. In
/// each cycle after what the bank did.
class PartCounters {
 public:
  /// Adds the counters to those of the cache.
  PartCounters(const Params& params, Stats& stats);

  bool several() const { return parts_.several(); }
  /// A step() of the bank; `request`: what took effect in it, or nullptr.
  void count(const Bank& bank, const Request* request);
  /// As does step_fill().
  void count_placed(const Bank& bank);

 private:
  struct Part {
    base::Counter &hits, &misses, &lines, &evictions;
  };

  const Parts parts_;
  std::vector<Part> counters_;
};

}  // namespace spica::cache
