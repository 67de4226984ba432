// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/run/host_errors.h"
#include "platform/studies/experiment/experiment.h"

namespace spica::experiment {

/// The tables of an experiment that measures energy: prints them and writes results.csv, results.json, ratios.json and
/// sensitivity.json into `out`; `host_errors` reports what could not be written. Where the sensitivity is the result,
/// it is in results.csv and results.json, and the cells are in cells.csv and cells.json.
void report_energy(const std::vector<CellResult>& results, const Experiment& experiment,
                   const std::string& out, job::HostErrors& host_errors);

}  // namespace spica::experiment
