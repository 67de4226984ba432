// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/run/host_errors.h"
#include "platform/studies/experiment/experiment.h"

namespace spica::experiment {

/// Prints the tables of an experiment that measures energy and writes results.csv, results.json, ratios.json and
/// sensitivity.json into `out`; `host_errors` reports files that could not be written. If the sensitivity is the
/// result, it is in results.csv and results.json, and the cells are in cells.csv and cells.json.
void report_energy(const std::vector<CellResult>& results, const Experiment& experiment,
                   const std::string& out, job::HostErrors& host_errors);

}  // namespace spica::experiment
