// SPDX-License-Identifier: Apache-2.0
// What units of simulated work cost the host, next to the bars.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/studies/bench/host_counter.h"

namespace spica::bench {

/// What the rows run with.
struct Inputs {
  std::string operands;  // file with numbers for those that compute
  /// The file of a kernel of the platform. Throws UserError when it is not built.
  std::function<std::string(const std::string& name)> kernel;
};

/// Runs of which a cost is made: that of `plus` without that of `minus`, by the units that those have more than these.
/// What both have in common (the start) falls out.
struct CostRuns {
  using Arguments = std::vector<std::string>;
  /// From a run's stats.json; nullptr: the unit is a run.
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
  /// Host instructions per unit, at most.
  std::optional<double> bar = std::nullopt;
  const char* source = "";  // of the bar
  /// Instead: the bar is a multiple of the cost of another row, which comes before this one.
  const char* relative_to = "";
  double times = 0;
  Judged judged = Judged::kInstructions;
};

struct CostResult {
  CostRow row;
  double instructions = 0;  // per unit
  std::optional<double> cycles;  // per unit
  std::optional<double> bar;
  /// Nothing when there is no bar, or when what it is for cannot be counted here.
  std::optional<bool> reached;
};

/// All rows, with their bars.
const std::vector<CostRow>& cost_rows();

/// Those of the given names, and what they are relative to; all when there are none. Throws UserError for an unknown
/// one.
std::vector<CostRow> chosen_rows(const std::vector<std::string>& names);

/// Runs each command that the rows name once, and counts. `folder` is for files between, `kernel` as in Inputs.
std::vector<CostResult> measure(const std::vector<CostRow>& rows, const HostCounter& counter,
                                const std::string& folder,
                                std::function<std::string(const std::string&)> kernel);

/// The file of --json.
std::string costs_json(const std::vector<CostResult>& results, const std::string& counted_by);

/// The table of the rows.
void print_costs(const std::vector<CostResult>& results, const std::string& counted_by);

}  // namespace spica::bench
