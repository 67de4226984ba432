// SPDX-License-Identifier: Apache-2.0
// Where the cycles and the energy of one run went that another one did not need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/observe/report/html_report.h"

namespace spica::report {

/// An amount in both runs.
struct Change {
  std::string name;
  std::string meaning;  // of a reason: what it waits for; may be empty
  double before = 0, after = 0;

  double delta() const { return after - before; }
};

/// A cycle account, in the mean of all blocks that have one of this name: "core issue" of core_0 to core_3. Its reasons
/// add up to the cycles of the run, so their changes add up to the change of its cycles.
struct AccountChange {
  std::string name;
  std::vector<Change> reasons;  // largest change first
  double busy = 0;  // share of the cycles in which the blocks were not idle, in the mean of both runs
};

struct RunDifference {
  Change cycles;
  Change instructions;  // of warps, whole run
  std::vector<AccountChange> accounts;  // the busiest first
  Change energy;  // total of the timed region, uJ; both 0: it was not measured in both
  std::vector<Change> parts;  // of it: active, leakage, clock, DRAM
  /// With all entries of the energy table at their low ends, and at their high ends, in both runs.
  std::optional<Change> energy_low, energy_high;
  bool same_table = true;  // false: the runs' energies are of different tables
  std::vector<Change> units;  // total energy by unit, uJ, largest change first
  std::vector<Change>
      functions;  // cycles of issue slots by function, of runs with --lines; largest change first
};

/// What was timed, where the runs were not timed alike or not over the usual region; else empty.
std::string region_sentence(const ReportedRun& before, const ReportedRun& after);

/// The cycles of the region before the first load of an operand, where they are another part of it in one run than in
/// the other; else empty.
std::string set_up_sentence(const ReportedRun& before, const ReportedRun& after);

/// Something that limits the energies of one of the runs, or of both: an entry of the table that is extrapolated,
/// estimated or not known.
struct EnergyNote {
  std::string text;
  bool of_before = false, of_after = false;
};
std::vector<EnergyNote> energy_notes(const ReportedRun& before, const ReportedRun& after);

/// `after` against `before`.
RunDifference difference(const ReportedRun& before, const ReportedRun& after);

/// Sentences: how much, for which reasons, and where the energy went.
std::string sentences(const RunDifference& found, const std::string& before, const std::string& after);

json::Value difference_json(const RunDifference& found);

}  // namespace spica::report
