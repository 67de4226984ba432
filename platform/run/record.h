// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::job {

struct RecordOptions;
struct RunFacts;
struct RunFigures;

/// The single numbers, words and booleans of a run, in the order of stats.json, without host figures, with
/// "printed.NAME" and "samples.NAME" from the program's output; then one value for each entry of `keep`. An entry is a
/// path in "stats" of stats.json, such as "stats.l2.read_misses", or a function of all paths that match a pattern with
/// *: "sum(stats.cluster_*.core_*.warp_instructions)", also min, max and mean. Values are those of the timed region, if
/// there is one; null: no match. Throws UserError for an entry that is not a path, or that matches several without a
/// function.
json::Value record(const RunFacts& run, const RunFigures& figures, const std::vector<std::string>& keep);

/// The results of a run as a sweep stores them. `names` and `values` are JSON arrays of one length; nothing between the
/// run and the record of its point parses them.
struct Row {
  std::string end;  // how the run ended, as in stats.json
  std::string names = "[]", values = "[]";
  std::string known;  // a JSON array: the names of all values that the run has
};
/// The same from a stats.json of this version.
json::Value record_of_results(const json::Value& document, const std::vector<std::string>& keep);
/// The entries of `keep` that are paths in "stats".
std::vector<std::string> statistics_of(const RecordOptions& options);
/// The line, or the row, for a file of records. `values`: of record() with statistics_of().
std::string record_text(const json::Value& values, const RecordOptions& options);

/// Empty: not the whole text of a row.
std::optional<Row> row_of(const std::string& text);

/// The value of such an entry, from "stats" of a stats.json.
json::Value kept_value(const json::Value& stats, const std::string& entry);

}  // namespace spica::job
