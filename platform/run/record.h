// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::job {

struct RunFacts;
struct RunFigures;

/// The single numbers, words and booleans of a run, in the order of stats.json, without host figures, with
/// "printed.NAME" and "samples.NAME" from the program's output; then one value for each entry of `keep`. An entry is a
/// path in "stats" of stats.json, such as "stats.l2.read_misses", or a function of all paths that match a pattern with
/// *: "sum(stats.cluster_*.core_*.warp_instructions)", also min, max and mean. Values are those of the timed region, if
/// there is one; null: no match. Throws UserError for an entry that is not a path, or that matches several without a
/// function.
json::Value record(const RunFacts& run, const RunFigures& figures, const std::vector<std::string>& keep);

/// The value of such an entry, from "stats" of a stats.json.
json::Value kept_value(const json::Value& stats, const std::string& entry);

}  // namespace spica::job
