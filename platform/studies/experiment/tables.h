// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/studies/experiment/experiment.h"

namespace spica::experiment {

struct TableOptions {
  std::string out;     // folder of results.csv and results.json
  std::string report;  // HTML page of all cells; empty: none
  std::vector<std::string> changed;  // keys by which the machine differs from the published one
  std::vector<std::string> left_out;  // values of axes that are neither default nor selected
};

/// Prints the results of an experiment as tables with published values, and writes them. Returns the exit code: 0 if
/// all are verified, else 1; files that could not be written are reported at the end.
int show_results(const Experiment& experiment, const std::vector<CellResult>& results,
                 const TableOptions& options);

}  // namespace spica::experiment
