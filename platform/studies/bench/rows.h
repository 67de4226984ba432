// SPDX-License-Identifier: Apache-2.0
// The host cost of units of simulated work, with its bars.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/studies/bench/host_counter.h"

namespace spica::bench {

/// The inputs of the rows.
struct Inputs {
  std::string operands;  // file with numbers, for the computing ones
  std::string folder;    // for files of counted runs
  /// The file of a kernel of the platform. Throws UserError if it is not built.
  std::function<std::string(const std::string& name)> kernel;
};

/// The runs of a cost: that of `plus` minus that of `minus`, divided by the difference of their units. Common parts,
/// such as the start, cancel.
struct CostRuns {
  using Arguments = std::vector<std::string>;
  /// Units of a run, from its stats.json; nullptr: one per run.
  using Units = double (*)(const std::string& stats);

  std::vector<Arguments> plus, minus;
  Units units = nullptr;
};

/// One row of `spica bench`.
struct CostRow {
  enum class Judged { kInstructions, kCycles };

  const char* name;
  const char* unit;
  CostRuns (*runs)(const Inputs& inputs);
  /// Maximum of host instructions per unit.
  std::optional<double> bar = std::nullopt;
  const char* source = "";  // source of the bar
  /// Alternatively: the bar is a multiple of the cost of another, earlier row.
  const char* relative_to = "";
  double times = 0;
  Judged judged = Judged::kInstructions;
};

struct CostResult {
  CostRow row;
  double instructions = 0;  // per unit
  std::optional<double> cycles;  // per unit
  std::optional<double> bar;
  /// Empty if there is no bar, or if its cost cannot be counted on this host.
  std::optional<bool> reached;
};

/// All rows, with their bars.
const std::vector<CostRow>& cost_rows();

/// The rows with the given names, and the rows they are relative to; without names, all. Throws UserError for an
/// unknown one.
std::vector<CostRow> chosen_rows(const std::vector<std::string>& names);

/// Runs each command of the rows once and counts. `folder`: for temporary files; `kernel`: as in Inputs.
std::vector<CostResult> measure(const std::vector<CostRow>& rows, const HostCounter& counter,
                                const std::string& folder,
                                std::function<std::string(const std::string&)> kernel);

/// The contents of the --json file.
std::string costs_json(const std::vector<CostResult>& results, const std::string& counted_by);

/// The table of the rows.
void print_costs(const std::vector<CostResult>& results, const std::string& counted_by);

}  // namespace spica::bench
