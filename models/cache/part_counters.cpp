// SPDX-License-Identifier: Apache-2.0
#include "models/cache/part_counters.h"

#include <string>

namespace spica::cache {

PartCounters::PartCounters(const Params& params, Stats& stats) : parts_(params) {
  for (unsigned i = 0; several() && i < params.partitions; ++i) {
    const std::string part = "part_" + std::to_string(i);
    const auto add = [&](const char* name, const std::string& description) -> base::Counter& {
      return stats.counter(part + name, base::Unit::kCount, description);
    };
    counters_.push_back(
        {add("_hits", "reads and writes of " + part + " that found what they need, in any part"),
         add("_misses", "reads and writes of " + part + " that did not"),
         add("_lines", "lines put into the ways of " + part),
         add("_evictions", "lines that these pushed out of the ways of " + part)});
  }
}

void PartCounters::count(const Bank& bank, const Request* request) {
  count_placed(bank);
  if (request == nullptr) return;
  Part& part = counters_[parts_.of(*request->payload)];
  const bool hit = bank.outcome() == Outcome::kReadHit || bank.outcome() == Outcome::kWriteHit;
  ++(hit ? part.hits : part.misses);
}

void PartCounters::count_placed(const Bank& bank) {
  const Bank::Placed placed = bank.placed();
  if (!placed.line) return;
  ++counters_[placed.part].lines;
  if (placed.other) ++counters_[placed.part].evictions;
}

}  // namespace spica::cache
