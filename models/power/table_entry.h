// SPDX-License-Identifier: Apache-2.0
// The common part of table entries: a low, a nominal and a high value.
#pragma once

#include "models/base/params.h"

namespace spica::power {

/// The fields low, nominal and high of an entry, in `unit`.
template <class Entry, class Visit>
void describe_interval(Entry& p, Visit&& field, const char* unit, const base::Range& range) {
  field("low", p.low, unit, range, "smallest plausible value");
  field("nominal", p.nominal, unit, range, "best guess");
  field("high", p.high, unit, range, "largest plausible value");
}
template <class Entry, class Report>
void check_interval(const Entry& p, Report&& contradiction) {
  if (p.low > p.nominal || p.nominal > p.high)
    contradiction({"low", "nominal", "high"}, "low <= nominal <= high does not hold");
}

}  // namespace spica::power
