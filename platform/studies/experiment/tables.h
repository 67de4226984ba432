// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/studies/experiment/experiment.h"

namespace spica::experiment {

struct TableOptions {
  std::string out;     // folder of results.csv and results.json
  std::string report;  // HTML page of all cells; empty: none
  std::vector<std::string> overrides;  // of all runs
  std::vector<std::string> changed;  // of them, those that make it another machine than the published one
  std::vector<std::string> left_out;  // values of axes that are neither usual nor chosen
};

/// Prints the results of an experiment as tables, next to published values, and writes them. Returns the exit code: 0
/// when all are verified, else 1; what could not be written is reported at the end.
int show_results(const Experiment& experiment, const std::vector<CellResult>& results,
                 const TableOptions& options);

}  // namespace spica::experiment
