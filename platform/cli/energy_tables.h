// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/run/experiment.h"
#include "platform/run/troubles.h"

namespace spica::cli {

/// The tables of an experiment that measures energy: prints them and writes results.csv, results.json and
/// ratios.json into `out`; `troubles` reports what could not be written.
void report_energy(const std::vector<run::CellResult>& results,
                   const std::vector<run::Comparison>& comparisons, const std::string& out,
                   run::Troubles& troubles);

}  // namespace spica::cli
