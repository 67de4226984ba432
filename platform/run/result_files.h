// SPDX-License-Identifier: Apache-2.0
// The files that a run leaves, apart from the memory that it saves.
#pragma once

#include <string>

#include "platform/base/json/value.h"

namespace spica::job {

class HostErrors;
struct JobOptions;
struct RunFacts;
struct RunFigures;

/// Writes stats.json, config.yaml, energy.json and console.txt into the output folder, the report, and the record, as far
/// as they are requested. Returns the contents of stats.json; null: nothing requested has them.
json::Value write_results(const RunFacts& run, const RunFigures& figures, HostErrors& host_errors);

/// Writes one more file into the output folder.
void write_result(const JobOptions& options, const std::string& name, const std::string& text,
                  HostErrors& host_errors);

}  // namespace spica::job
