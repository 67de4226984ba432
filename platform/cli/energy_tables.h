// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/experiment/experiment.h"
#include "platform/job/troubles.h"

namespace spica::cli {

/// The tables of an experiment that measures energy: prints them and writes results.csv, results.json and
/// ratios.json into `out`; `troubles` reports what could not be written.
void report_energy(const std::vector<experiment::CellResult>& results,
                   const std::vector<experiment::Comparison>& comparisons, const std::string& out,
                   job::Troubles& troubles);

}  // namespace spica::cli
