// SPDX-License-Identifier: Apache-2.0
// Columns of a table that are calculated from what its runs say.
#pragma once

#include <string>
#include <vector>

#include "platform/studies/experiment/experiment.h"

namespace spica::experiment {

/// The columns that a sweep calculates (`columns`), from a run's stats.json; null where something is missing.
void add_calculated(const sweep::Sweep& sweep, const json::Value& stats, json::Value& columns);

/// All calculated columns of a table.
std::vector<std::string> calculated_columns(const sweep::Sweep& sweep);

/// With a baseline: `speedup`, cycles of the point that differs in the baseline's axes only, divided by those of the
/// point.
void add_speedups(const Experiment& experiment, std::vector<CellResult>& results);

/// A line of the summary: labels of the axes that the sweep names, and of each calculated column mean and largest value
/// over the cells with these labels that have one.
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
