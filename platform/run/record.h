// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::job {

struct RunFacts;
struct RunFigures;

/// The single numbers, words and truth values of a run, in the order of stats.json, without host figures, with
/// "printed.NAME" and "samples.NAME" of what the program says of itself; then one for each entry of `keep`, which is a
/// path in "stats" of stats.json, "stats.l2.read_misses", or with * in its parts a function of all that fit:
/// "sum(stats.cluster_*.core_*.warp_instructions)", also min, max and mean. What was counted in the timed region
/// counts, if present; null: nothing fits. Throws UserError for an entry that is no such path, and for one without a
/// function that fits several.
json::Value record(const RunFacts& run, const RunFigures& figures, const std::vector<std::string>& keep);

/// One of these entries, of "stats" of a stats.json.
json::Value kept_value(const json::Value& stats, const std::string& entry);

}  // namespace spica::job
