// SPDX-License-Identifier: Apache-2.0
// Columns of a table that are calculated from the results of its runs.
#pragma once

#include <string>
#include <vector>

#include "platform/studies/experiment/experiment.h"

namespace spica::experiment {

/// The calculated columns of a sweep (`columns`), from a run's stats.json; null if an input is missing.
void add_calculated(const sweep::Sweep& sweep, const json::Value& stats, json::Value& columns);

/// All calculated columns of a table.
std::vector<std::string> calculated_columns(const sweep::Sweep& sweep);

/// With a baseline: `speedup`, the cycles of the point with the baseline's axis values, otherwise equal, divided by
/// those of the point.
void add_speedups(const Experiment& experiment, std::vector<CellResult>& results);

/// A line of the summary: labels of the axes that the sweep names; for each calculated column, mean and maximum over
/// the cells with these labels that have a value.
struct Summary {
  struct Figure {
    std::string column;
    double mean = 0, largest = 0;
    std::size_t cells = 0;
  };
  std::vector<std::string> labels;
  std::vector<Figure> figures;
};
std::vector<Summary> summary_of(const Experiment& experiment, const std::vector<CellResult>& results);

}  // namespace spica::experiment
