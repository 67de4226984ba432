// SPDX-License-Identifier: Apache-2.0
// The cycles and energy that one run needs in addition to another one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/observe/report/html_report.h"

namespace spica::report {

/// An amount in both runs.
struct Change {
  std::string name;
  std::string meaning;  // for a reason: what it waits for; may be empty
  double before = 0, after = 0;

  double delta() const { return after - before; }
};

/// A cycle account, as the mean of all blocks with an account of this name: "core issue" of core_0 to core_3. Its
/// reasons add up to the cycles of the run, so their changes add up to the change in cycles.
struct AccountChange {
  std::string name;
  std::vector<Change> reasons;  // largest change first
  double busy = 0;  // share of non-idle cycles of the blocks, mean of both runs
};

struct RunDifference {
  Change cycles;
  Change instructions;  // warp instructions, whole run
  std::vector<AccountChange> accounts;  // busiest first
  Change energy;  // total of the timed region, uJ; both 0: at least one run has none
  std::vector<Change> parts;  // parts of this: active, leakage, clock, DRAM
  /// With all entries of the energy table at their low ends, and at their high ends, in both runs.
  std::optional<Change> energy_low, energy_high;
  bool same_table = true;  // false: the energies are from different tables
  std::vector<Change> units;  // total energy by unit, uJ, largest change first
  std::vector<Change>
      functions;  // cycles of issue slots by function, for runs with --lines; largest change first
};

/// Describes the timed regions if they differ between the runs or are not the usual one; else empty.
std::string region_sentence(const ReportedRun& before, const ReportedRun& after);

/// Compares the cycles before the first operand load if their share of the region differs between the runs; else empty.
std::string set_up_sentence(const ReportedRun& before, const ReportedRun& after);

/// A limitation of the energies of one or both runs: a table entry that is extrapolated, estimated or unknown.
struct EnergyNote {
  std::string text;
  bool of_before = false, of_after = false;
};
std::vector<EnergyNote> energy_notes(const ReportedRun& before, const ReportedRun& after);

/// Compares `after` with `before`.
RunDifference difference(const ReportedRun& before, const ReportedRun& after);

/// The difference in sentences: its size, its reasons, and the change in energy.
std::string sentences(const RunDifference& found, const std::string& before, const std::string& after);

json::Value difference_json(const RunDifference& found);

}  // namespace spica::report
